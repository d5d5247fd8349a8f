import MarqueeModel

/// The offset of a node's clock from the database's, which is not known better than the time of a round trip.
public struct ClockOffset: Hashable, Sendable {
  /// The offset beyond which a node does not join.
  public static let max = TimeSpan.seconds(30)

  /// The smallest offset that is possible; positive if the node's clock is ahead.
  public let span: TimeSpan

  /// Creates the offset from a reading of the database's clock.
  ///
  /// - Parameters:
  ///   - database: The reading of the database's clock.
  ///   - sent: The node's clock before the request.
  ///   - received: The node's clock after the reply.
  public init(database: Instant, sent: Instant, received: Instant) {
    if database < sent {
      span = database.span(to: sent)
    } else {
      span = received < database ? database.span(to: received) : .zero
    }
  }

  /// Whether a node with this offset may join.
  public var isAccepted: Bool { -Self.max.milliseconds...Self.max.milliseconds ~= span.milliseconds }
}
