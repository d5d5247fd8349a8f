import MarqueeClient
import MarqueeModel
import MarqueeTransport
import MarqueeWire

/// Completes a partially typed name with the server's names.
struct NameCompletion: Sendable {
  /// The kind of name to complete.
  enum Kind { case devices, stacks, widgets, apps }

  /// The time limit for the server, chosen so that completion takes less than half a second in total.
  static let timeMax = Duration.milliseconds(400)

  let kind: Kind
  let line: TypedLine

  /// Returns the completions: full names that begin with the typed text or, if there are none, unambiguous short names
  /// that do; if there are none either, all full names, since shells can use other matching rules. Returns nothing if
  /// the server, selected by the line's options or the default, does not answer.
  func offers(_ environment: [String: String]) async -> [String] {
    let arguments = line.options(CredentialOptions.names + ["--server"], environment)
    // A shell has no place for completion errors: without a server, no names are offered.
    guard let options = try? ServerOptions.parse(arguments), let endpoint = try? options.endpoint(),
      let connection = try? options.credentials.connection(to: endpoint)
    else { return [] }
    return Self.offers(forms(await names(connection)), for: line.meaning)
  }

  /// Returns the matches of the first form in which any name begins with `typed`. Ambiguous names, and names that
  /// cannot be displayed in a terminal, are omitted.
  static func offers(_ forms: [[String]], for typed: String) -> [String] {
    let clear = forms.map { names in
      let counts = Dictionary(names.map { ($0, 1) }, uniquingKeysWith: +)
      return names.filter { counts[$0] == 1 && $0.visible() == $0 }
    }
    for names in clear {
      let fitting = names.filter { $0.hasPrefix(typed) }
      if !fitting.isEmpty { return fitting }
    }
    return clear.first ?? []
  }

  /// Returns the forms of the names, the full form first.
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
        devices.flatMap(\.widgets).map { $0.exactTextInApp },
      ]
    }
  }

  /// Fetches names until the time limit, starting with the devices that the typed text can refer to.
  private func names(_ connection: RPCClient) async -> [NameDirectory.DeviceNames] {
    let deadline = ContinuousClock.now + Self.timeMax
    func client() -> OperatorClient { OperatorClient(connection, callTimeMax: max(.zero, deadline - .now)) }
    // Without a server, no names are offered; a completion cannot report errors.
    guard let answer = try? await client().devices(count: NameDirectory.deviceCountMax) else { return [] }
    var names: [NameDirectory.DeviceNames] = []
    for device in meant(answer.devices) where deadline > .now && (scope == .devices || device.error.isEmpty) {
      // Names that arrive too late are not offered.
      let time = answer.time(of: device)
      guard let found = try? await NameDirectory.fetch(device.device, time, scope, client()) else { break }
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

  /// Returns the devices whose names begin with the typed text or are a prefix of it, or all devices if there are none.
  private func meant(_ devices: [DeviceSummary]) -> [DeviceSummary] {
    guard kind == .stacks || kind == .widgets else { return devices }
    let typed = line.meaning
    let named = devices.filter { device in
      device.device.text.hasPrefix(typed) || ["/", ":"].contains { typed.hasPrefix(device.device.text + $0) }
    }
    return named.isEmpty ? devices : named
  }
}
