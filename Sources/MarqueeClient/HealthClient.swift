import MarqueeRPC
public import MarqueeTransport
public import MarqueeWire

/// Asks a server whether it can be called, by the health checking protocol of gRPC.
public struct HealthClient: Sendable {
  private let connection: RPCClient
  private let options: CallOptions

  /// A client on that connection, whose checks each take `callTimeMax` at most.
  public init(_ connection: RPCClient, callTimeMax: Duration = .seconds(5)) {
    self.connection = connection
    options = CallOptions(timeout: callTimeMax)
  }

  /// Whether `service` can be called; the server as a whole when it is empty. Throws ``RPCStatus``, `NOT_FOUND` for
  /// a service that the server does not have.
  public func check(_ service: String = "") async throws -> HealthCheckResponse.Status {
    try await connection.unary(HealthService.check, HealthCheckRequest(service: service), options: options).status
  }
}
