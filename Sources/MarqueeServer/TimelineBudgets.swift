import MarqueeTransport

/// The memory budgets of uncommitted timelines, per connection, per principal and for the server.
package struct TimelineBudgets: Sendable {
  /// The maximum sizes in bytes.
  package struct Sizes: Sendable {
    /// The maximum per connection.
    package var connection = 16 << 20
    /// The maximum per principal, over all its connections.
    package var principal = 64 << 20
    /// The maximum for the server.
    package var server = 256 << 20
  }

  private static let content = "uncommitted timelines"
  private let connections: ByteBudgetTable<ObjectIdentifier>
  private let principals: ByteBudgetTable<Principal.Identity>
  private let server: ByteBudget

  init(_ sizes: Sizes = Sizes()) {
    connections = ByteBudgetTable(limit: "connection-timeline-size-max", of: Self.content, sizeMax: sizes.connection)
    principals = ByteBudgetTable(limit: "principal-timeline-size-max", of: Self.content, sizeMax: sizes.principal)
    server = ByteBudget(limit: "server-timeline-size-max", of: Self.content, sizeMax: sizes.server)
  }

  /// The bytes in use on the server.
  var size: Int { server.size }
  /// The highest number of bytes in use by a principal.
  var fullestPrincipalSize: Int { principals.fullestSize }
  /// The highest number of bytes in use on a connection.
  var fullestConnectionSize: Int { connections.fullestSize }

  /// Returns a reservation for a stream's uncommitted timelines, valid while the stream is open.
  func reservation(for stream: OpenStream) -> ByteReservation {
    ByteReservation([connections[ObjectIdentifier(stream.connection)], principals[stream.account], server])
  }
}
