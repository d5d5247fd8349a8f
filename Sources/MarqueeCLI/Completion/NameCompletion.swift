import MarqueeClient
import MarqueeModel
import MarqueeTransport
import MarqueeWire

/// The names that a server has for what somebody is typing.
struct NameCompletion: Sendable {
  /// What is named.
  enum Kind { case devices, stacks, widgets, apps }

  /// How long a server is waited for: who types expects an answer within half a second, the program's start included.
  static let timeMax = Duration.milliseconds(400)

  let kind: Kind
  let line: TypedLine

  /// The names to offer: those in full that begin with what is typed or, if none does, short ones that are clear and
  /// do. Where none does either, all in full: a shell may look for them in its own way. None without a server, which is
  /// the one that the line names, else the standard one.
  func offers(_ environment: [String: String]) async -> [String] {
    let arguments = line.options(CredentialOptions.names + ["--server"], environment)
    // A shell that completes has no place for errors: without a server there is nothing to offer.
    guard let options = try? ServerOptions.parse(arguments), let endpoint = try? options.endpoint(),
      let connection = try? options.credentials.connection(to: endpoint)
    else { return [] }
    return Self.offers(forms(await names(connection)), for: line.meaning)
  }

  /// Of several ways to write the same names, those of the first in which any begins with `typed`; names that several
  /// things have, and names that no terminal can show, are left out.
  static func offers(_ forms: [[String]], for typed: String) -> [String] {
    let clear = forms.map { names in
      let counts = Dictionary(names.map { ($0, 1) }, uniquingKeysWith: +)
      return names.filter { counts[$0] == 1 && Terminal.printable($0) == $0 && !$0.contains("\n") }
    }
    for names in clear {
      let fitting = names.filter { $0.hasPrefix(typed) }
      if !fitting.isEmpty { return fitting }
    }
    return clear.first ?? []
  }

  /// The ways to write what there is, the full one first.
  private func forms(_ devices: [NameDirectory.DeviceNames]) -> [[String]] {
    switch kind {
    case .devices: [devices.map(\.device.text)]
    case .apps: [Set(devices.flatMap { $0.kinds.map(\.kind.app.text) }).sorted()]
    case .stacks:
      [
        devices.flatMap { device in device.stacks.map { "\(device.device)/\($0)" } },
        devices.flatMap(\.stacks).map(\.text),
      ]
    case .widgets:
      [
        devices.flatMap { device in device.widgets.map { "\(device.device):\($0.exactText)" } },
        devices.flatMap(\.widgets).map(\.exactText),
        devices.flatMap(\.widgets).map { String($0.exactText.dropFirst($0.kind.app.text.count + 1)) },
      ]
    }
  }

  /// What the server names until the time is over: first of the devices that the typed part may mean.
  private func names(_ connection: RPCClient) async -> [NameDirectory.DeviceNames] {
    let deadline = ContinuousClock.now + Self.timeMax
    func client() -> OperatorClient { OperatorClient(connection, callTimeMax: max(.zero, deadline - .now)) }
    // Without a server there are no names; a completion has nowhere to say why.
    guard let answer = try? await client().devices(count: NameDirectory.deviceCountMax) else { return [] }
    var names: [NameDirectory.DeviceNames] = []
    for device in meant(answer.devices) where deadline > .now {
      // What is not there in time is not offered.
      guard let found = try? await NameDirectory.fetch(device.device, device.timeZone, scope, client()) else { break }
      names.append(found)
    }
    return names
  }

  private var scope: NameDirectory.Scope {
    switch kind {
    case .devices: .devices
    case .stacks: .stacks
    case .widgets, .apps: .widgets
    }
  }

  /// The devices whose names begin as the typed part, or with which it begins; all if there are none.
  private func meant(_ devices: [DeviceSummary]) -> [DeviceSummary] {
    guard kind == .stacks || kind == .widgets else { return devices }
    let typed = line.meaning
    let named = devices.filter { device in
      device.device.text.hasPrefix(typed) || ["/", ":"].contains { typed.hasPrefix(device.device.text + $0) }
    }
    return named.isEmpty ? devices : named
  }
}
