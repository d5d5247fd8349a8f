import Logging
package import MarqueeServer
package import MarqueeTransport
import ServiceLifecycle

/// A server that runs in a task of its own.
package struct RunningServer: Sendable {
  /// The endpoints on which the server listens, in the order of its configuration.
  package let endpoints: [Endpoint]
  private let group: ServiceGroup
  private let task: Task<Void, any Error>

  /// Runs a server, and waits until it listens.
  ///
  /// - Throws: The error with which the server failed to start.
  package init(_ server: MarqueeServer, logger: Logger) async throws {
    let group = ServiceGroup(
      configuration: ServiceGroupConfiguration(services: [.init(service: server)], logger: logger))
    let task = Task { try await group.run() }
    guard let endpoints = await server.listening() else {
      try await task.value
      throw CancellationError()
    }
    self.endpoints = endpoints
    self.group = group
    self.task = task
  }

  /// Shuts the server down gracefully, and waits for its end.
  package func stop() async throws {
    await group.triggerGracefulShutdown()
    try await task.value
  }
}
