import ArgumentParser
import MarqueeClient
import MarqueeModel
import MarqueeTerminal
import MarqueeWire

/// `marquee limits`
struct LimitsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "limits",
    abstract: "List the server's limits and their current use, for the server or for one device.",
    discussion: """
      A request that exceeds a limit fails with RESOURCE_EXHAUSTED and the limit's name. USED is the largest use of \
      any one device, app or client; without a device argument, only devices in the server's memory are considered. A \
      yes under SET marks limits that can be set, either in the server's settings as limits.NAME or in its access \
      policy.
      """)

  @Argument(help: "The device; defaults to the server's own use.", completion: .deviceNames)
  var device: String?

  @OptionGroup var server: ServerOptions

  func run() async throws {
    try await server.run { session in
      var found: DeviceID?
      if let device { found = try await NameDirectory.fetch(device: device, .devices, session).device }
      let limits = try await session.operators.limits(of: found)
      session.write(json: Self.json(limits, of: found), lines: Self.lines(limits))
    }
  }

  private static func json(_ limits: [LimitStatus], of device: DeviceID?) -> JSONValue {
    let objects = limits.map { limit in
      JSONValue.object([
        .init("name", .string(limit.name)), .init("use", limit.use.map { .integer(Int64($0)) } ?? .null),
        .init("used_by", limit.usedBy.isEmpty ? .null : .string(limit.usedBy)),
        .init("maximum", limit.maximum.map { .integer(Int64($0)) } ?? .null),
        .init("default", .integer(Int64(limit.defaultValue))),
        .init("unit", .string(limit.unit)),
        .init("set_in", limit.origin.word.map { .string($0) } ?? .null),
        .init("bounds", .string(limit.bounds)),
      ])
    }
    return .object([
      .init("device", device.map { .string($0.text) } ?? .null), .init("limits", .array(objects)),
    ])
  }

  private static func lines(_ limits: [LimitStatus]) -> [String] {
    var table = Table(
      .init("NAME"), .init("USED", .right), .init("LIMIT", .right), .init("DEFAULT", .right), .init("UNIT"),
      .init("SETTING"), .init("BOUNDS"), .init("USED BY"))
    for limit in limits {
      let unit = limit.unit == "count" ? "" : limit.unit.replacing("per_", with: "a ")
      table.append(
        limit.name, limit.use.map { "\($0)" } ?? "", limit.maximum.map { "\($0)" } ?? "none", "\(limit.defaultValue)",
        unit,
        limit.origin == .fixed ? "" : "yes", limit.bounds, limit.usedBy)
    }
    return table.lines
  }
}

extension LimitStatus.Origin {
  fileprivate var word: String? {
    switch self {
    case .fixed: nil
    case .settings: "settings"
    case .accessPolicy: "access-policy"
    }
  }
}
