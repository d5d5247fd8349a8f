import MarqueeModel
import MarqueeScheduler
import MarqueeTestSupport

/// The operations sent by clients and acknowledged by the server, from which the expected contents of the journal
/// follow.
///
/// `@unchecked Sendable`: accessed only on the world's thread.
final class Ledger: @unchecked Sendable {
  /// An operation, identified by a value that appears in the journal.
  enum Mark: Hashable, Sendable {
    case registered
    /// A timeline, by the number in its content.
    case timeline(Widget, Int)
    case donation(AppID, Donation.ID)
    /// A report, by the number in its place's name.
    case place(Int)
    /// A Focus filter, by the number in its value.
    case focusFilter(Int)
  }

  private(set) var sent: [DeviceID: Set<Mark>] = [:]
  private(set) var acknowledged: [DeviceID: Set<Mark>] = [:]
  /// The words of donations whose deletion was sent, and of those whose deletion was acknowledged.
  private(set) var sentDeletions: Set<String> = []
  private(set) var deleted: Set<String> = []
  private(set) var acknowledgementCount = 0
  private var number = 0

  func next() -> Int {
    number += 1
    return number
  }

  func recordSent(_ mark: Mark, _ device: DeviceID) { sent[device, default: []].insert(mark) }

  func acknowledge(_ mark: Mark, _ device: DeviceID) {
    acknowledged[device, default: []].insert(mark)
    acknowledgementCount += 1
  }

  func recordSentDeletion(of word: String) { sentDeletions.insert(word) }

  func acknowledgeDeletion(of word: String) {
    deleted.insert(word)
    acknowledgementCount += 1
  }

  /// Returns the operation of a journal event.
  static func marks(_ event: Event) -> [Mark] {
    switch event {
    case .timelinePublished(let widget, let timeline):
      return timeline.entries.prefix(1).compactMap { entry in
        Int(String(decoding: entry.content.bytes, as: UTF8.self)).map { .timeline(widget, $0) }
      }
    case .donated(let app, let donations): return donations.map { .donation(app, $0.id) }
    case .reported(.contextChanged(.place(let place?))): return Int(place.display).map { [.place($0)] } ?? []
    case .focusFilterSet(_, _, let intent):
      guard case .single(.integer(let number))? = intent.parameters.first?.value else { return [] }
      return [.focusFilter(Int(number))]
    default: return []
    }
  }

  /// Returns the violations in a device's journal.
  func findings(_ device: DeviceID, _ events: [Event]) -> [RequirementFailure] {
    let marks = events.flatMap(Self.marks)
    let present = Set(marks)
    var findings: [RequirementFailure] = []
    for mark in acknowledged[device] ?? [] where mark != .registered && !present.contains(mark) && !mayBeGone(mark) {
      findings.append(RequirementFailure("\(device): acknowledged but not in the journal:  \(mark)"))
    }
    for mark in present where sent[device]?.contains(mark) != true {
      findings.append(RequirementFailure("\(device): in the journal but never sent:  \(mark)"))
    }
    var places: Set<Int> = []
    for case .place(let number) in marks where !places.insert(number).inserted {
      findings.append(RequirementFailure("\(device): report \(number) was applied twice"))
    }
    return findings
  }

  /// Whether the operation may be missing: a donation whose word is in a deletion that was sent.
  private func mayBeGone(_ mark: Mark) -> Bool {
    guard case .donation(_, let id) = mark else { return false }
    return id.text.split(separator: "/").first.map { sentDeletions.contains(String($0)) } ?? false
  }
}
