import MarqueeModel
import MarqueeScheduler

/// What clients have told a server, what of that was acknowledged, and what therefore must be in its journal.
///
/// `@unchecked Sendable`: touched on the world's thread alone.
final class Ledger: @unchecked Sendable {
  /// Something told, by which it is found in the journal.
  enum Mark: Hashable, Sendable {
    case registered
    /// A timeline by the number in its content.
    case timeline(Widget, Int)
    case donation(AppID, Donation.ID)
    /// A report by the number in its place's name.
    case place(Int)
  }

  private(set) var told: [DeviceID: Set<Mark>] = [:]
  private(set) var acknowledged: [DeviceID: Set<Mark>] = [:]
  /// The words of donations whose deletion was told, and of those of which it was acknowledged.
  private(set) var deletionTold: Set<String> = []
  private(set) var deleted: Set<String> = []
  private(set) var acknowledgementCount = 0
  private var number = 0

  func next() -> Int {
    number += 1
    return number
  }

  func tell(_ mark: Mark, _ device: DeviceID) { told[device, default: []].insert(mark) }

  func acknowledge(_ mark: Mark, _ device: DeviceID) {
    acknowledged[device, default: []].insert(mark)
    acknowledgementCount += 1
  }

  func tellDeletion(of word: String) { deletionTold.insert(word) }

  func acknowledgeDeletion(of word: String) {
    deleted.insert(word)
    acknowledgementCount += 1
  }

  /// What an event of the journal is the mark of.
  static func marks(_ event: Event) -> [Mark] {
    switch event {
    case .timelinePublished(let widget, let timeline):
      return timeline.entries.prefix(1).compactMap { entry in
        Int(String(decoding: entry.content.bytes, as: UTF8.self)).map { .timeline(widget, $0) }
      }
    case .donated(let app, let donations): return donations.map { .donation(app, $0.id) }
    case .reported(.contextChanged(.place(let place?))): return Int(place.display).map { [.place($0)] } ?? []
    default: return []
    }
  }

  /// What is wrong with a device's journal.
  func findings(_ device: DeviceID, _ events: [Event]) -> [Finding] {
    let marks = events.flatMap(Self.marks)
    let present = Set(marks)
    var findings: [Finding] = []
    for mark in acknowledged[device] ?? [] where mark != .registered && !present.contains(mark) && !mayBeGone(mark) {
      findings.append(Finding("\(device): acknowledged and not in the journal: \(mark)"))
    }
    for mark in present where told[device]?.contains(mark) != true {
      findings.append(Finding("\(device): in the journal, but told by nobody: \(mark)"))
    }
    var places: Set<Int> = []
    for case .place(let number) in marks where !places.insert(number).inserted {
      findings.append(Finding("\(device): report \(number) was taken in twice"))
    }
    return findings
  }

  /// Whether it may be forgotten: a donation whose word is in a deletion that was told.
  private func mayBeGone(_ mark: Mark) -> Bool {
    guard case .donation(_, let id) = mark else { return false }
    return id.text.split(separator: "/").first.map { deletionTold.contains(String($0)) } ?? false
  }
}
