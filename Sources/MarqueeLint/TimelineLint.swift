import MarqueeModel

/// What is worth telling a provider about a timeline that is accepted all the same (rules L).
///
/// Each ``LintCode`` is reported at most once, in the order of its cases, with the first entry that it is true of and
/// how many there are:
///
/// - `entries-unsorted`, `entries-same-date`, `entries-too-close`: how the entries are dated.
/// - `score-constant`, `score-never-zero`, `score-never-cleared`: what the scores say, and fail to say.
/// - `window-too-short`, `window-cut-off`: how long positive scores hold.
/// - `scale-changed`, `reload-over-budget`, `empty-while-in-force`: how the timeline fits what the device knows.
///
/// Entries are counted from 0 in the order in which they were sent. Scores of 0 or less have no window that matters:
/// whether they end or not, the widget is not eligible (rule T5).
public enum TimelineLint {
  /// Entries that are closer than this are more than a person can follow and a device cares to draw.
  public static let entrySpacingMin = TimeSpan.minutes(5)
  /// Windows that are shorter than this are likely to have been meant in another unit.
  public static let windowMin = TimeSpan.minutes(2)
  /// Scores, from which on it says something that they are all alike.
  public static let scoreCountMin = 3
  /// How far the highest score may move from that of the kind so far, upwards or downwards.
  public static let scaleFactorMax = 10.0

  /// The findings on a timeline, as `context` knows the device before it is published.
  ///
  /// - Parameter entries: The entries in the order in which they were sent.
  public static func warnings(
    submitted entries: [TimelineEntry], policy: TimelineReloadPolicy, context: LintContext
  ) -> [LintWarning] {
    let timeline = SentTimeline(entries, policy)
    let findings: [Finding?] = [
      entriesUnsorted(entries), entriesSameDate(entries, timeline), entriesTooClose(timeline),
      scoreConstant(timeline), scoreNeverZero(timeline), scoreNeverCleared(timeline, context),
      windowTooShort(timeline), windowCutOff(timeline),
      scaleChanged(timeline, context), reloadOverBudget(timeline, context), emptyWhileInForce(timeline, context),
    ]
    return findings.compactMap { $0?.warning }
  }

  /// A finding, with the first entry that it is true of, in the order sent.
  struct Finding {
    let code: LintCode
    let message: String
    let entry: Int?

    init(_ code: LintCode, entry: Int? = nil, _ message: String) {
      self.code = code
      self.entry = entry
      self.message = message
    }

    var warning: LintWarning { LintWarning(code: code.rawValue, message: message, index: entry) }
  }

  /// How many others a finding is true of, of so many in all: nothing when there are none.
  static func more(than count: Int) -> String {
    count > 1 ? ", and so it is with \(count - 1) more" : ""
  }
}
