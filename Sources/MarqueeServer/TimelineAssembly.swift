import MarqueeModel
import MarqueeWire

/// The timelines that a provider is streaming in pieces and has not committed (rule T1).
struct TimelineAssembly {
  /// A timeline whose last piece has come.
  struct Whole {
    let widget: Widget
    /// In the order sent.
    let entries: [TimelineEntry]
    let policy: TimelineReloadPolicy
  }

  private struct Partial {
    let widget: Widget
    let policy: TimelineReloadPolicy
    var entries: [TimelineEntry] = []
    var size = 0
  }

  /// Timelines open on one stream, at most.
  static let openTimelineCountMax = 16

  private let limits: Limits
  /// Begun timelines; `nil` for those that were refused and whose further pieces are dropped.
  private var open: [PublishID: Partial?] = [:]

  init(limits: Limits) {
    self.limits = limits
  }

  /// Takes a piece, and gives the timeline when it is whole.
  ///
  /// A refusal is thrown once for a timeline; its later pieces are dropped in silence.
  mutating func take(_ part: TimelinePart) throws(Refusal) -> Whole? {
    guard let known = open[part.publish] else { return try begin(part) }
    if part.isCommit { open[part.publish] = nil }
    guard let partial = known else { return nil }
    return try extend(partial, with: part)
  }

  /// Forgets the pieces of a timeline.
  mutating func abandon(_ publish: PublishID) {
    open[publish] = nil
  }

  /// Notes that a piece could not be read, so that the rest of its timeline is dropped. Says whether this is news.
  mutating func refuse(_ publish: PublishID, isCommit: Bool) -> Bool {
    let wasRefused = if case .some(.none) = open[publish] { true } else { false }
    open[publish] = isCommit ? nil : .some(nil)
    return !wasRefused
  }

  private mutating func begin(_ part: TimelinePart) throws(Refusal) -> Whole? {
    guard let widget = part.widget else {
      _ = refuse(part.publish, isCommit: part.isCommit)
      throw Refusal(.invalidArgument, field: "timeline.widget", "absent in a timeline's first piece")
    }
    guard open.count < Self.openTimelineCountMax else {
      throw .over(limit: "openTimelineCountMax", maximum: Self.openTimelineCountMax, count: open.count + 1)
    }
    return try extend(Partial(widget: widget, policy: part.policy ?? .atEnd), with: part)
  }

  private mutating func extend(_ partial: Partial, with part: TimelinePart) throws(Refusal) -> Whole? {
    var partial = partial
    partial.entries += part.entries
    partial.size = part.entries.reduce(partial.size) { $0 + $1.content.bytes.count }
    do {
      try Self.check(partial.entries.count, "entryCountMax", limits.entryCountMax)
      try Self.check(partial.size, "timelineSizeMax", limits.timelineSizeMax)
    } catch {
      _ = refuse(part.publish, isCommit: part.isCommit)
      throw error
    }
    guard part.isCommit else {
      open[part.publish] = partial
      return nil
    }
    return Whole(widget: partial.widget, entries: partial.entries, policy: partial.policy)
  }

  private static func check(_ count: Int, _ limit: String, _ maximum: Int) throws(Refusal) {
    guard count <= maximum else { throw .over(limit: limit, maximum: maximum, count: count) }
  }
}
