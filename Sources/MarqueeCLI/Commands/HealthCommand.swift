import ArgumentParser
import MarqueeClient
import MarqueeWire

/// `marquee health`
struct HealthCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "health", abstract: "Check whether the server or one of its services is available.")

  @Argument(help: "A service, such as marquee.v1.Provider; the whole server by default.")
  var service = ""

  @OptionGroup var server: ServerOptions

  func run() async throws {
    try await server.run { session in
      let status = try await HealthClient(session.connection).check(service)
      session.write(
        json: .object([.init("service", .string(service)), .init("status", .string(status.name))]),
        lines: [status.name])
      guard status == .serving else { throw CommandFailure(.unavailable, "the server is not serving requests") }
    }
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
