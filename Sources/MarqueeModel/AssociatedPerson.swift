/// A person who receives a significant share of the messages that the user sends while a Focus is on.
///
/// Displays can offer such people as the ones to allow through in the Focus (rule D8).
public struct AssociatedPerson: Hashable, Sendable {
  /// The minimum of ``sentCount`` for a strong association.
  public static let sentCountMin = 3
  /// The minimum of ``share`` for a strong association.
  public static let shareMin = 0.1

  /// The person, with the most recent display name.
  public let person: DisplayIdentity
  /// The number of recent messages sent to the person while the Focus was on.
  public let sentCount: Int
  /// The number of recent messages sent to anyone while the Focus was on.
  public let messageCount: Int

  /// Creates an association.
  ///
  /// - Precondition: `sentCount` is in `1...messageCount`.
  public init(person: DisplayIdentity, sentCount: Int, messageCount: Int) {
    precondition((1...messageCount).contains(sentCount), "\(sentCount) of \(messageCount) messages")
    self.person = person
    self.sentCount = sentCount
    self.messageCount = messageCount
  }

  /// The fraction of the messages that were sent to the person.
  public var share: Double { Double(sentCount) / Double(messageCount) }

  /// Whether the association is strong.
  public var isStrong: Bool { sentCount >= Self.sentCountMin && share >= Self.shareMin }
}
