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
  /// Refused timelines of one stream whose last piece has not come, at most; a stream with more is to be ended.
  static let refusedTimelineCountMax = 1_024

  private let limits: Limits
  /// Begun timelines.
  private var open: [PublishID: Partial] = [:]
  /// Timelines that were refused and whose further pieces are dropped.
  private var refused: Set<PublishID> = []

  init(limits: Limits) {
    self.limits = limits
  }

  /// Whether the stream is to be ended, since more timelines were refused than are kept in mind.
  var isOverwhelmed: Bool { refused.count > Self.refusedTimelineCountMax }

  /// Takes a piece, and gives the timeline when it is whole.
  ///
  /// A refusal is thrown once for a timeline; its later pieces are dropped in silence.
  mutating func take(_ part: TimelinePart) throws(Refusal) -> Whole? {
    if refused.contains(part.publish) {
      if part.isCommit { refused.remove(part.publish) }
      return nil
    }
    do throws(Refusal) {
      let partial = if let begun = open.removeValue(forKey: part.publish) { begun } else { try begin(part) }
      return try extend(partial, with: part)
    } catch {
      _ = refuse(part.publish, isCommit: part.isCommit)
      throw error
    }
  }

  /// Forgets the pieces of a timeline.
  mutating func abandon(_ publish: PublishID) {
    open[publish] = nil
    refused.remove(publish)
  }

  /// Notes that a piece could not be read, so that the rest of its timeline is dropped. Says whether this is news.
  mutating func refuse(_ publish: PublishID, isCommit: Bool) -> Bool {
    open[publish] = nil
    let isNews = !refused.contains(publish)
    if isCommit { refused.remove(publish) } else { refused.insert(publish) }
    return isNews
  }

  private func begin(_ part: TimelinePart) throws(Refusal) -> Partial {
    guard let widget = part.widget else {
      throw Refusal(.invalidArgument, field: "timeline.widget", "absent in a timeline's first piece")
    }
    guard open.count < Self.openTimelineCountMax else {
      throw .over(limit: "open-timeline-count-max", maximum: Self.openTimelineCountMax, count: open.count + 1)
    }
    return Partial(widget: widget, policy: part.policy ?? .atEnd)
  }

  private mutating func extend(_ partial: Partial, with part: TimelinePart) throws(Refusal) -> Whole? {
    var partial = partial
    partial.entries += part.entries
    partial.size = part.entries.reduce(partial.size) { $0 + $1.content.bytes.count }
    try Self.check(partial.entries.count, "entry-count-max", limits.entryCountMax)
    try Self.check(partial.size, "timeline-size-max", limits.timelineSizeMax)
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
