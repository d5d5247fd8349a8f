import MarqueeRPC
public import MarqueeTransport
public import MarqueeWire

/// A client of gRPC's health checking protocol.
public struct HealthClient: Sendable {
  private let connection: RPCClient
  private let options: CallOptions

  /// Creates a client on a connection, with a timeout for each check.
  public init(_ connection: RPCClient, callTimeMax: Duration = .seconds(5)) {
    self.connection = connection
    options = CallOptions(timeout: callTimeMax)
  }

  /// Returns the health of a service, or of the whole server if `service` is empty.
  ///
  /// - Throws: ``RPCStatus``; `NOT_FOUND` if the server does not have the service.
  public func check(_ service: String = "") async throws -> HealthCheckResponse.Status {
    try await connection.unary(HealthService.check, HealthCheckRequest(service: service), options: options).status
  }

  /// Returns the health of every service, and of the whole server under the empty name, in ascending order of names.
  public func list() async throws -> [HealthListResponse.Entry] {
    try await connection.unary(HealthService.list, HealthListRequest(), options: options).entries
  }
}
