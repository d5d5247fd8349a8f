import MarqueeModel
import OrderedCollections

/// The people with whom the user exchanges messages (rules D8, D9).
extension Device {
  /// A message with the other people: its recipients, or the sender of a received one.
  private struct Message {
    let app: AppID
    let people: [DisplayIdentity]
    let focus: FocusID?
  }

  /// The messages exchanged with a person in an app.
  private struct Correspondence {
    let subject: SurfaceSuggestion.Subject
    var sentCount = 0
    var receivedCount = 0

    /// The number of messages that count: every sent one and, so that a sender does not gain more than the user gives,
    /// at most one received message more than the user sent.
    var count: Int { sentCount + min(receivedCount, sentCount + 1) }
  }

  /// Returns the people who received enough messages while the Focus was on to be allowed in it.
  ///
  /// Sorted by the number of messages, most first; ties go to the more recent message.
  public func people(allowedIn focus: FocusID) -> [AssociatedPerson] {
    let sent = sentMessages.filter { $0.focus == focus && !isBlocked($0.app) }
    var counts: OrderedDictionary<DisplayIdentity, Int> = [:]
    for person in sent.flatMap(\.people) { counts[person, default: 0] += 1 }
    return counts.map { AssociatedPerson(person: $0.key, sentCount: $0.value, messageCount: sent.count) }
      .filter(\.isStrong).enumerated().sorted {
        ($1.element.sentCount, $0.offset) < ($0.element.sentCount, $1.offset)
      }.map(\.element)
  }

  /// The people of the latest messages, with the app; those who received messages come first. The same person can occur
  /// several times.
  var correspondents: [(app: AppID, person: DisplayIdentity)] {
    (sentMessages + receivedMessages).flatMap { message in message.people.map { (message.app, $0) } }
  }

  /// Returns the people of the latest messages: those of the current Focus, or of all if none were sent in it.
  ///
  /// The share of a person is that of the messages that count (``Correspondence/count``). The messages of senders whom
  /// the user has not answered do not lower the shares of others, and count as one at most.
  func personCandidates() -> [SurfaceCandidate] {
    var (sent, received) = (sentMessages, receivedMessages)
    sent.removeAll { isBlocked($0.app) }
    received.removeAll { isBlocked($0.app) }
    let focus = sent.contains { $0.focus == context.focus } ? context.focus : nil
    if let focus {
      sent.removeAll { $0.focus != focus }
      received.removeAll { $0.focus != focus }
    }
    let people = Self.correspondences(sent, received)
    let answered = people.filter { $0.sentCount > 0 }
    let total = sent.count + answered.reduce(0) { $0 + $1.count - $1.sentCount }
    return (answered + people.filter { $0.sentCount == 0 }).map { person in
      let others = person.sentCount > 0 ? total : total + 1
      return SurfaceCandidate(
        subject: person.subject, probability: Double(person.count) / Double(others + 1),
        basis: .known(
          .messages(
            sentCount: person.sentCount, messageCount: sent.count, receivedCount: person.receivedCount, focus: focus)))
    }
  }

  /// Returns the correspondence with each person, in order of first appearance.
  private static func correspondences(_ sent: [Message], _ received: [Message]) -> [Correspondence] {
    var found: OrderedDictionary<SuggestionID, Correspondence> = [:]
    func note(_ messages: [Message], _ body: (inout Correspondence) -> Void) {
      for message in messages {
        for person in message.people {
          let subject = SurfaceSuggestion.Subject.person(message.app, person)
          body(&found[subject.id, default: Correspondence(subject: subject)])
        }
      }
    }
    note(sent) { $0.sentCount += 1 }
    note(received) { $0.receivedCount += 1 }
    return Array(found.values)
  }

  /// The latest messages that the user sent, newest first.
  private var sentMessages: [Message] {
    recentDonations { if case .message(let recipients) = $0 { recipients } else { nil } }.map {
      message($0.app, $0.record, $0.known)
    }
  }

  /// The latest messages that the user received, newest first.
  private var receivedMessages: [Message] {
    recentDonations { if case .received(let sender?) = $0 { [sender] } else { nil } }.map {
      message($0.app, $0.record, $0.known)
    }
  }

  private func message(_ app: AppID, _ record: DonationRecord, _ people: [DisplayIdentity]) -> Message {
    Message(app: app, people: people, focus: donations.context(of: record).focus)
  }
}
