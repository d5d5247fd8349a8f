import MarqueeModel
import MarqueeSimulator

/// A widget's relevance over one day as a picture in numbers: which score is in force when, and why.
///
/// Made of values alone, so that every drawing of it is a function of what it was made of.
struct TimelineGraph: Equatable, Sendable {
  /// A span in which one score is in force; 0 where none is.
  struct Segment: Equatable, Sendable {
    let start: Instant
    let end: Instant
    let score: Double
  }

  /// A span that an entry's duration sets (rule T3), cut to the day.
  struct Window: Equatable, Sendable {
    let start: Instant
    let end: Instant
  }

  /// An entry within the day.
  struct Mark: Equatable, Sendable {
    let date: Instant
    /// The score it provides; `nil` leaves what is in force.
    let score: Double?
  }

  /// What the picture is of, in one line.
  let title: String
  /// The first instant of the day, and of the next one.
  let start: Instant
  let end: Instant
  /// The present.
  let now: Instant
  /// The clock that the axis shows.
  let clock: DeviceClock
  /// The scores in force, without a gap from ``start`` to ``end``.
  let segments: [Segment]
  /// Windows of positive score in the day.
  let windows: [Window]
  /// The day's entries.
  let marks: [Mark]

  /// The picture of the day around `day`.
  ///
  /// - Parameters:
  ///   - entries: The stored timeline, dates rising.
  ///   - inForce: The relevance in force now, which may come from an entry that a newer timeline dropped (rule T4).
  init(
    title: String, entries: [TimelineEntry], inForce: RelevanceInForce?, day: Instant, now: Instant, clock: DeviceClock
  ) {
    (start, end) = clock.dayBounds(containing: day)
    self.title = title
    self.now = now
    self.clock = clock
    let steps = Self.steps(entries, inForce)
    let (from, to) = (start, end)
    segments = Self.segments(steps, from: from, to: to)
    windows = steps.filter { $0.score > 0 }.compactMap { step in
      guard let windowEnd = step.end, windowEnd > from, step.start < to else { return nil }
      return Window(start: max(step.start, from), end: min(windowEnd, to))
    }
    marks = entries.filter { $0.date >= from && $0.date < to }.map { Mark(date: $0.date, score: $0.relevance?.score) }
  }

  /// The highest score of the day; 0 when none is positive.
  var scoreMax: Double { max(0, segments.map(\.score).max() ?? 0) }

  /// The lowest score of the day, which may be negative; 0 when none is.
  var scoreMin: Double { min(0, segments.map(\.score).min() ?? 0) }

  /// The hours that an axis of the day labels, every `step` hours of the local clock.
  func hours(every step: Int) -> [Instant] {
    let day = clock.date(start)
    return stride(from: 0, through: 23, by: step).compactMap { hour in
      clock.instant(year: day.year, month: day.month, day: day.day, hour: hour)
    }
  }

  /// What the entries, and the relevance in force if no entry has provided it, set one after the other.
  private static func steps(_ entries: [TimelineEntry], _ inForce: RelevanceInForce?) -> [RelevanceInForce] {
    var steps = entries.compactMap { entry in
      entry.relevance.map { relevance in
        RelevanceInForce(
          score: relevance.score, start: entry.date,
          end: relevance.duration == .zero ? nil : entry.date.advanced(by: relevance.duration))
      }
    }
    if let inForce, !steps.contains(where: { $0.start == inForce.start }) {
      steps.insert(inForce, at: steps.firstIndex { $0.start > inForce.start } ?? steps.endIndex)
    }
    return steps
  }

  private static func segments(_ steps: [RelevanceInForce], from: Instant, to: Instant) -> [Segment] {
    var segments: [Segment] = []
    func append(_ start: Instant, _ end: Instant, _ score: Double) {
      let (start, end) = (max(start, from), min(end, to))
      guard start < end else { return }
      if let last = segments.last, last.score == score, last.end == start {
        segments[segments.count - 1] = Segment(start: last.start, end: end, score: score)
      } else {
        segments.append(Segment(start: start, end: end, score: score))
      }
    }
    append(from, steps.first?.start ?? to, 0)
    for (index, step) in steps.enumerated() {
      let next = index + 1 < steps.count ? steps[index + 1].start : max(to, step.start)
      let windowEnd = min(step.end ?? next, next)
      append(step.start, windowEnd, step.score)
      append(windowEnd, next, 0)
    }
    return segments
  }
}
