import ArgumentParser
import MarqueeClient
import MarqueeTerminal
import MarqueeWire

/// `marquee health`
struct HealthCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "health", abstract: "Check whether the server or one of its services is available.")

  @Argument(help: "A service, such as marquee.v1.Provider; the whole server by default.")
  var service = ""

  @Flag(name: .customLong("all"), help: "List the whole server and every service.")
  var isListing = false

  @OptionGroup var server: ServerOptions

  func validate() throws {
    guard !isListing || service.isEmpty else { throw ValidationError("a service cannot be combined with --all") }
  }

  func run() async throws {
    try await server.run { session in
      let health = HealthClient(session.connection)
      let isServing = isListing ? try await list(health, session) : try await check(health, session)
      guard isServing else { throw CommandFailure(.unavailable, "the server is not serving requests") }
    }
  }

  private func check(_ health: HealthClient, _ session: Session) async throws -> Bool {
    let status = try await health.check(service)
    session.write(json: Self.json(service, status), lines: [status.name])
    return status == .serving
  }

  /// Lists every service; the whole server has no name, and is shown as `server`.
  private func list(_ health: HealthClient, _ session: Session) async throws -> Bool {
    let entries = try await health.list()
    var table = Table(.init("SERVICE"), .init("STATUS"))
    for entry in entries { table.append(entry.service.isEmpty ? "server" : entry.service, entry.status.name) }
    session.write(
      json: .object([.init("services", .array(entries.map { Self.json($0.service, $0.status) }))]),
      lines: table.lines)
    return entries.allSatisfy { $0.status == .serving }
  }

  private static func json(_ service: String, _ status: HealthCheckResponse.Status) -> JSONValue {
    .object([.init("service", .string(service)), .init("status", .string(status.name))])
  }
}

extension HealthCheckResponse.Status {
  fileprivate var name: String {
    switch self {
    case .unknown: "UNKNOWN"
    case .serving: "SERVING"
    case .notServing: "NOT_SERVING"
    case .serviceUnknown: "SERVICE_UNKNOWN"
    }
  }
}
