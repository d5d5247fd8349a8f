import MarqueeModel

/// Checks a timeline for likely mistakes. Findings are advice: the timeline is accepted.
///
/// Each ``LintCode`` is reported at most once, in the order of its cases, with the first entry concerned and the number
/// of others:
///
/// - `entries-unsorted`, `entries-same-date`, `entries-too-close`, `entries-long-past`: the dates of entries.
/// - `score-constant`, `score-never-zero`, `score-never-cleared`, `score-over`: the scores.
/// - `window-too-short`, `window-cut-off`: the durations of positive scores.
/// - `expiry-without-effect`: the expiries of entries.
/// - `scale-changed`, `reload-over-budget`, `empty-while-in-force`: the timeline in relation to the device's state.
/// - `card-invalid`, `card-unknown-element`, `card-remote-image`, `card-without-text`: contents that are cards.
///
/// Entries are numbered from 0 in the order sent. Durations of scores of 0 or less are ignored: the widget is not
/// eligible for rotation in either case.
public enum TimelineLint {
  /// The minimum recommended distance of entries, below which displays need not show each of them.
  public static let entrySpacingMin = TimeSpan.minutes(5)
  /// The maximum plausible age of a date. An older one suggests seconds in place of milliseconds.
  public static let pastMax = TimeSpan.days(3_652)
  /// The time after the end of all positive scores from which they are taken for those of a wrong day.
  public static let scoreAgeMin = TimeSpan.hours(24)
  /// The minimum plausible window. A shorter one suggests a mistaken unit.
  public static let windowMin = TimeSpan.minutes(2)
  /// The minimum number of scores for a finding about their variation.
  public static let scoreCountMin = 3
  /// The maximum ratio between the highest score and the kind's highest score so far, in either direction.
  public static let scaleFactorMax = 10.0
  /// The total size of the cards that are read, in bytes; later ones are not checked.
  public static let cardSizeMax = 1_048_576

  /// Returns the findings about a timeline.
  ///
  /// - Parameters:
  ///   - submitted: The timeline with its entries in the order sent.
  ///   - context: The device's state before the publication.
  public static func warnings(submitted: SubmittedTimeline, context: LintContext) -> [LintWarning] {
    let (entries, timeline) = (submitted.entries, SentTimeline(submitted))
    let findings: [Finding?] = [
      entriesUnsorted(entries), entriesSameDate(entries, timeline), entriesTooClose(timeline),
      entriesLongPast(entries, context), scoreConstant(timeline), scoreNeverZero(timeline),
      scoreNeverCleared(timeline, context), scoreOver(timeline, context), windowTooShort(timeline),
      windowCutOff(timeline), expiryWithoutEffect(timeline),
      scaleChanged(timeline, context), reloadOverBudget(timeline, context), emptyWhileInForce(timeline, context),
    ]
    return (findings.compactMap(\.self) + cardFindings(submitted)).map(\.warning)
  }

  /// A finding with the index of the first entry concerned, in the order sent.
  struct Finding {
    let code: LintCode
    let message: String
    let entry: Int?
    let values: [FindingValue]

    init(_ code: LintCode, entry: Int? = nil, _ message: String, _ values: [FindingValue]) {
      self.code = code
      self.entry = entry
      self.message = message
      self.values = values
    }

    var warning: LintWarning { LintWarning(code: code.rawValue, message: message, index: entry, values: values) }
  }

  /// Returns a phrase for the number of further entries among `count` in all, or an empty string if there are none.
  static func more(than count: Int) -> String {
    count > 1 ? ", and likewise for \(count - 1) more" : ""
  }

  /// Returns the value of that phrase, if there is one.
  static func more(than count: Int) -> [FindingValue] { count > 1 ? [FindingValue("more", count - 1)] : [] }
}
