import MarqueeClient
import MarqueeModel
import MarqueeTransport
import MarqueeWire

/// Completes a partially typed name with the server's names.
struct NameCompletion: Sendable {
  /// The kind of name to complete.
  enum Kind { case devices, stacks, widgets, apps, kinds, nodes, nodesAfterShard, sessions }

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
    return Self.offers(await forms(connection), for: line.meaning)
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

  /// Fetches names until the time limit, and returns their forms, the full form first. Without a server, there are
  /// none; a completion cannot report errors.
  private func forms(_ connection: RPCClient) async -> [[String]] {
    let deadline = ContinuousClock.now + Self.timeMax
    let client = OperatorClient(connection, callTimeMax: Self.timeMax)
    switch kind {
    case .devices, .stacks, .widgets, .apps, .kinds: return forms(of: await names(connection, until: deadline))
    case .nodesAfterShard where !hasShard: return []
    // Without a cluster, or a right to see it, no names are offered.
    case .nodes, .nodesAfterShard: return [(try? await client.cluster())?.nodes.map(\.name) ?? []]
    // As for nodes.
    case .sessions: return [(try? await client.sessions())?.map(\.id.text) ?? []]
    }
  }

  /// Returns the forms of names on devices.
  private func forms(of devices: [NameDirectory.DeviceNames]) -> [[String]] {
    switch kind {
    case .devices: [devices.map(\.device.text)]
    case .apps: [Set(devices.flatMap { $0.kinds.map(\.kind.app.text) }).sorted()]
    case .kinds: [Set(named(devices.flatMap(\.kinds).map(\.kind), by: \.app.text).map(\.name.text)).sorted()]
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
    case .nodes, .nodesAfterShard, .sessions: []
    }
  }

  /// Fetches the names on devices until the deadline, starting with the devices that the line can refer to.
  private func names(
    _ connection: RPCClient, until deadline: ContinuousClock.Instant
  ) async -> [NameDirectory.DeviceNames] {
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
    case .widgets, .apps, .kinds: .widgets
    case .nodes, .nodesAfterShard, .sessions: .devices
    }
  }

  /// Whether the line names a shard before the typed text: by its number, or by a device.
  private var hasShard: Bool {
    let words = line.words.prefix(line.index)
    return zip(words, words.dropFirst()).contains { $0 != "--wait" && UInt32($1) != nil }
      || !line.options(["--device"], [:]).isEmpty
  }

  /// Returns the values whose names are among the other words of the line, or all values if there are none.
  private func named<Value>(_ values: [Value], by name: (Value) -> String) -> [Value] {
    let words = Set(line.otherWords)
    let named = values.filter { words.contains(name($0)) }
    return named.isEmpty ? values : named
  }

  /// Returns the devices whose names begin with the typed text or are a prefix of it; for kinds those that the line
  /// names; or all devices if there are none.
  private func meant(_ devices: [DeviceSummary]) -> [DeviceSummary] {
    if kind == .kinds { return named(devices, by: \.device.text) }
    guard kind == .stacks || kind == .widgets else { return devices }
    let typed = line.meaning
    let named = devices.filter { device in
      device.device.text.hasPrefix(typed) || ["/", ":"].contains { typed.hasPrefix(device.device.text + $0) }
    }
    return named.isEmpty ? devices : named
  }
}
