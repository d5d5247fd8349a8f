import MarqueeModel
import MarqueeSimulator

/// The data of a chart of a widget's relevance over one day: which score is in force when, and why.
///
/// A pure value, so that drawings depend on nothing else.
struct TimelineGraph: Equatable, Sendable {
  /// A span with one score in force, or 0 if none is.
  struct Segment: Equatable, Sendable {
    let start: Instant
    let end: Instant
    let score: Double
  }

  /// A span set by an entry's duration (rule T3) or expiry (rule W4), clipped to the day.
  struct Window: Equatable, Sendable {
    let start: Instant
    let end: Instant
  }

  /// An entry within the day.
  struct Mark: Equatable, Sendable {
    let date: Instant
    /// The score that the entry provides, or `nil` if it leaves the score in force unchanged.
    let score: Double?
  }

  /// A one-line title.
  let title: String
  /// The first instant of the day, and of the next one.
  let start: Instant
  let end: Instant
  /// The current time.
  let now: Instant
  /// The clock of the time axis.
  let clock: DeviceClock
  /// The scores in force, contiguous from ``start`` to ``end``.
  let segments: [Segment]
  /// The windows with a positive score within the day.
  let windows: [Window]
  /// The day's entries.
  let marks: [Mark]
  /// The day's expiries of entries that no later entry precedes (rule W4).
  let expiries: [Instant]
  /// When the entry that is current now expired; `nil` if it has not, or if now is not on the day.
  let expired: Instant?

  /// Creates the chart of the day that contains `day`.
  ///
  /// - Parameters:
  ///   - entries: The stored timeline in chronological order.
  ///   - inForce: The relevance in force now or, on a past day, at its end. It may come from an entry that a newer
  ///     timeline dropped (rule T4).
  ///   - past: The timelines of the day until now or, on a past day, until its end. If there are none, the stored
  ///     timeline is drawn over the whole day.
  init(
    title: String, entries: [TimelineEntry], inForce: RelevanceInForce?, past: [TimelineSpan] = [], day: Instant,
    now: Instant, clock: DeviceClock
  ) {
    let (from, to) = clock.dayBounds(containing: day)
    (start, end) = (from, to)
    self.title = title
    self.now = now
    self.clock = clock
    let current = past.last?.end
    let parts =
      past.map { Part($0.entries, $0.relevance?.inForce, from: max($0.start, from), to: min($0.end, to), at: $0.start) }
      + [Part(entries, inForce, from: min(current ?? from, to), to: to, at: current ?? now)]
    segments = Self.segments(of: parts, from: from)
    windows = parts.flatMap(\.windows)
    marks = parts.flatMap(\.marks)
    expiries = parts.flatMap(\.expiries)
    let timeline = Timeline(submitted: entries, policy: .never)
    let reachedCount = timeline.reachedCount(at: now)
    let expiry = reachedCount == 0 ? nil : timeline.expiry(ofEntryAt: reachedCount - 1)
    expired = expiry.flatMap { $0 <= now && (from..<to).contains(now) ? $0 : nil }
  }

  /// The highest score of the day, or 0 if none is positive.
  var scoreMax: Double { max(0, segments.map(\.score).max() ?? 0) }

  /// The lowest score of the day, or 0 if none is negative.
  var scoreMin: Double { min(0, segments.map(\.score).min() ?? 0) }

  /// Returns the hours at which the axis is labeled, every `step` hours of local time.
  func hours(every step: Int) -> [Instant] {
    let day = clock.date(start)
    return stride(from: 0, through: 23, by: step).compactMap { hour in
      clock.instant(year: day.year, month: day.month, day: day.day, hour: hour)
    }
  }

  /// Returns the scores of consecutive parts, without gaps from the start of the day on.
  private static func segments(of parts: [Part], from: Instant) -> [Segment] {
    var segments: [Segment] = []
    for segment in [Segment(start: from, end: parts[0].start, score: 0)] + parts.flatMap(\.segments) {
      guard segment.start < segment.end else { continue }
      if let last = segments.last, last.score == segment.score, last.end == segment.start {
        segments[segments.count - 1] = Segment(start: last.start, end: segment.end, score: last.score)
      } else {
        segments.append(segment)
      }
    }
    return segments
  }
}

extension TimelineGraph {
  /// A part of the day with one timeline.
  private struct Part {
    let start: Instant
    let end: Instant
    private let entries: [TimelineEntry]
    private let ends: [Instant]
    private let steps: [RelevanceInForce]

    /// Creates the part of a timeline that has `inForce` at the instant `now`.
    init(
      _ entries: [TimelineEntry], _ inForce: RelevanceInForce?, from start: Instant, to end: Instant, at now: Instant
    ) {
      let timeline = Timeline(submitted: entries, policy: .never)
      ends = timeline.entries.indices.compactMap { timeline.expiry(ofEntryAt: $0) }
      steps = TimelineGraph.steps(entries, inForce, ends, now)
      (self.entries, self.start, self.end) = (entries, start, end)
    }

    var windows: [Window] {
      steps.filter { $0.score > 0 }.compactMap { step in
        guard let windowEnd = step.end, windowEnd > start, step.start < end else { return nil }
        return Window(start: max(step.start, start), end: min(windowEnd, end))
      }
    }

    var marks: [Mark] {
      entries.filter { $0.date >= start && $0.date < end }.map { Mark(date: $0.date, score: $0.relevance?.score) }
    }

    var expiries: [Instant] { ends.filter { $0 >= start && $0 < end } }

    var segments: [Segment] {
      var segments: [Segment] = []
      func append(_ first: Instant, _ last: Instant, _ score: Double) {
        let (first, last) = (max(first, start), min(last, end))
        if first < last { segments.append(Segment(start: first, end: last, score: score)) }
      }
      append(start, steps.first?.start ?? end, 0)
      for (index, step) in steps.enumerated() {
        let next = index + 1 < steps.count ? steps[index + 1].start : max(end, step.start)
        let windowEnd = min(step.end ?? next, next)
        append(step.start, windowEnd, step.score)
        append(windowEnd, next, 0)
      }
      return segments
    }
  }

  /// Returns the successive relevance values set by the entries, preceded by the relevance in force if it comes from
  /// none of them. A value ends with the first of `expiries` while it is in force; past ones did not concern the value
  /// of an earlier timeline.
  fileprivate static func steps(
    _ entries: [TimelineEntry], _ inForce: RelevanceInForce?, _ expiries: [Instant], _ now: Instant
  ) -> [RelevanceInForce] {
    var steps = entries.compactMap { entry in
      entry.relevance.map { relevance in
        RelevanceInForce(
          score: relevance.score, start: entry.date,
          end: relevance.duration == .zero ? nil : entry.date.advanced(by: relevance.duration))
      }
    }
    var earlier: Int?
    if let inForce, !steps.contains(where: { $0.start == inForce.start }) {
      let index = steps.firstIndex { $0.start > inForce.start } ?? steps.endIndex
      steps.insert(inForce, at: index)
      earlier = index
    }
    return steps.indices.map { index in
      let step = steps[index]
      let (first, next) = (index == earlier ? now : step.start, index + 1 < steps.count ? steps[index + 1].start : .max)
      let ends = [step.end, expiries.first { $0 > first && $0 < next }].compactMap(\.self)
      return RelevanceInForce(score: step.score, start: step.start, end: ends.min())
    }
  }
}
