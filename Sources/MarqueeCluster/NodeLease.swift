/// The lease of a node as the node itself sees it: until when it may answer from memory, and whether it may declare
/// others dead.
///
/// Times are readings of one clock that also runs while the machine is suspended (`CLOCK_BOOTTIME`), which the owner
/// passes. A renewal counts from the instant at which it was *sent*: the database received it later, so that the lease
/// ends there no earlier than here. Writes do not depend on it: see ``Lane``.
public struct NodeLease: Hashable, Sendable {
  /// Whether a node may use the devices that it has in memory.
  public enum Standing: Hashable, Sendable {
    /// The node may answer and show.
    case valid
    /// The node must not answer or show. Its devices may still be its own.
    case ending
    /// Another node may have the devices: the node discards them, and loads them again once it has a lease.
    case lapsed
  }

  /// The time to live unless configured otherwise.
  public static let timeToLiveDefault = Duration.seconds(6)
  /// The time before the end of the lease at which a node stops answering, for an answer that is on its way.
  public static let margin = Duration.seconds(1)

  /// The time after a renewal at which the lease ends.
  public let timeToLive: Duration
  /// The instant at which the last confirmed renewal was sent.
  private var renewedAt: Duration
  /// The instant since which the lease has not lapsed.
  private var heldSince: Duration

  /// Creates the lease of a node that has joined.
  ///
  /// - Parameters:
  ///   - timeToLive: The time to live, longer than ``margin``.
  ///   - sentAt: The instant at which the request to join was sent.
  public init(timeToLive: Duration = timeToLiveDefault, sentAt: Duration) {
    precondition(timeToLive > Self.margin)
    self.timeToLive = timeToLive
    renewedAt = sentAt
    heldSince = sentAt
  }

  /// Records a renewal that the database has confirmed.
  ///
  /// - Parameter sentAt: The instant at which the request was sent. One before that of another confirmed renewal
  ///   changes nothing.
  public mutating func renew(sentAt: Duration) {
    guard sentAt > renewedAt else { return }
    if standing(at: sentAt) == .lapsed { heldSince = sentAt }
    renewedAt = sentAt
  }

  /// The instant from which the node must not answer or show.
  public var validUntil: Duration { renewedAt + timeToLive - Self.margin }

  /// Returns whether the node may use the devices that it has in memory.
  public func standing(at now: Duration) -> Standing {
    if now < validUntil { return .valid }
    return now < renewedAt + timeToLive ? .ending : .lapsed
  }

  /// Returns whether the node may declare others dead.
  ///
  /// A node whose own lease has lapsed, or which has just joined, must hold it for a whole time to live: if the
  /// database was out of reach for all, the others need that time to renew theirs. The database applies the same rule
  /// by its own clock, and decides.
  public func canDeclareDeaths(at now: Duration) -> Bool {
    standing(at: now) == .valid && now - heldSince >= timeToLive
  }
}
