import MarqueeLint
import MarqueeModel

/// Lints a timeline published at midnight, by default without context.
struct Lint {
  static let midnight = Instant(milliseconds: 1_623_024_000_000)!

  static func time(_ minute: Double) -> Instant {
    midnight.advanced(by: TimeSpan(milliseconds: Int64((minute * 60_000).rounded())))
  }

  /// An entry without relevance.
  static func entry(_ minute: Double) -> TimelineEntry { TimelineEntry(date: time(minute)) }

  /// An entry with a score and a duration in seconds.
  static func entry(_ minute: Double, _ score: Double, _ seconds: Int64 = 0) throws -> TimelineEntry {
    TimelineEntry(
      date: time(minute), relevance: try TimelineEntryRelevance(score: score, duration: .seconds(seconds)))
  }

  /// An entry that expires at a minute, with a score or without relevance.
  static func entry(_ minute: Double, _ score: Double? = nil, expires expiry: Double) throws -> TimelineEntry {
    try TimelineEntry(
      date: time(minute), relevance: score.map { try TimelineEntryRelevance(score: $0) },
      details: EntryDetails(expiry: time(expiry)))
  }

  var entries: [TimelineEntry]
  var policy = TimelineReloadPolicy.never
  var context = LintContext(now: midnight)

  init(_ entries: TimelineEntry..., policy: TimelineReloadPolicy = .never) {
    self.init(entries, policy: policy)
  }

  init(_ entries: [TimelineEntry], policy: TimelineReloadPolicy = .never) {
    (self.entries, self.policy) = (entries, policy)
  }

  /// The same with a context.
  func with(_ change: (inout LintContext) -> Void) -> Lint {
    var copy = self
    change(&copy.context)
    return copy
  }

  var warnings: [LintWarning] {
    TimelineLint.warnings(submitted: SubmittedTimeline(entries, policy: policy), context: context)
  }

  var codes: [LintCode] { warnings.compactMap { LintCode(rawValue: $0.code) } }

  /// The finding with that code.
  func warning(_ code: LintCode) -> LintWarning? { warnings.first { $0.code == code.rawValue } }
}
