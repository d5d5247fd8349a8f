/// A person whom messages go to while a focus is on, often enough to let through in it (rule D8).
public struct AssociatedPerson: Hashable, Sendable {
  /// Messages to the person in the focus from which on an association is strong.
  public static let sentCountMin = 3
  /// The part of the messages sent in the focus from which on an association is strong.
  public static let shareMin = 0.1

  /// The person, as last shown.
  public let person: DisplayIdentity
  /// How many of the latest messages that were sent in the focus went to the person.
  public let sentCount: Int
  /// How many were sent in the focus.
  public let messageCount: Int

  /// A person; `sentCount` is at most `messageCount`.
  public init(person: DisplayIdentity, sentCount: Int, messageCount: Int) {
    precondition((1...messageCount).contains(sentCount), "\(sentCount) of \(messageCount) messages")
    self.person = person
    self.sentCount = sentCount
    self.messageCount = messageCount
  }

  /// The part of the messages sent in the focus that went to the person.
  public var share: Double { Double(sentCount) / Double(messageCount) }

  /// Whether the association is strong.
  public var isStrong: Bool { sentCount >= Self.sentCountMin && share >= Self.shareMin }
}
