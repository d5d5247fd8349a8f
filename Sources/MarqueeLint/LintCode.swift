/// The codes of findings. They are stable across versions.
///
/// A finding is advice: the data is accepted. <doc:Findings> explains each finding and its remedy.
public enum LintCode: String, CaseIterable, Sendable {
  /// An entry's date precedes that of the entry sent before it; entries are sorted by date.
  case entriesUnsorted = "entries-unsorted"
  /// Two entries have the same date; the one sent last is kept.
  case entriesSameDate = "entries-same-date"
  /// Two consecutive entries are closer than ``TimelineLint/entrySpacingMin``.
  case entriesTooClose = "entries-too-close"
  /// An entry's date is more than ``TimelineLint/pastMax`` before the publication, as if seconds were sent as
  /// milliseconds.
  case entriesLongPast = "entries-long-past"
  /// Three or more scores are all equal, and none ends before the next one begins.
  case scoreConstant = "score-constant"
  /// Three or more scores are all positive, and none ends before the next one begins.
  case scoreNeverZero = "score-never-zero"
  /// The last score is positive and has no end. It stays in force, since entries without relevance do not clear it.
  case scoreNeverCleared = "score-never-cleared"
  /// Every positive score had ended more than ``TimelineLint/scoreAgeMin`` before the publication.
  case scoreOver = "score-over"
  /// A positive score, or a shortcut's window, lasts less than ``TimelineLint/windowMin``.
  case windowTooShort = "window-too-short"
  /// A positive score's duration extends beyond the next entry that provides relevance, which replaces it.
  case windowCutOff = "window-cut-off"
  /// An entry expires when a later one is current already, so that its expiry has no effect.
  case expiryWithoutEffect = "expiry-without-effect"
  /// The highest score differs from the kind's highest so far by more than ``TimelineLint/scaleFactorMax`` times, in
  /// either direction.
  case scaleChanged = "scale-changed"
  /// The reload policy requests the next timeline sooner than the reload budget or spacing allows.
  case reloadOverBudget = "reload-over-budget"
  /// The timeline is empty, but a positive score remains in force.
  case emptyWhileInForce = "empty-while-in-force"
  /// A card is not of the subset that displays show.
  case cardInvalid = "card-invalid"
  /// A card has an element or action of an unknown type without a fallback, which is not shown.
  case cardUnknownElement = "card-unknown-element"
  /// A card has an image that it does not contain, which is not loaded.
  case cardRemoteImage = "card-remote-image"
  /// A card has no text, so that commands and screen readers have nothing to show.
  case cardWithoutText = "card-without-text"
  /// A shortcut names a widget kind, but all its providers apply to the watch face only.
  case onlyWatchFace = "only-watch-face"
  /// A shortcut that names a widget kind has both date and routine providers; the latter do not affect the widget.
  case dateAndRoutine = "date-and-routine"
  /// A shortcut has a group, but all its providers apply to the watch face only.
  case groupWithoutWindow = "group-without-window"
  /// Windows of one shortcut, or of equal relevant intents, overlap.
  case windowsOverlap = "windows-overlap"
  /// All windows of a shortcut or relevant intent had ended when it was set.
  case windowOver = "window-over"
  /// A set contains two equal elements.
  case setDuplicate = "set-duplicate"
  /// The app has not registered the named kind.
  case kindUnregistered = "kind-unregistered"
  /// The device has stacks, but none of a family that the kind supports.
  case kindFitsNoStack = "kind-fits-no-stack"
  /// A string parameter repeats the display string of another parameter, so that rewording it changes the intent.
  case displayStringParameter = "display-string-parameter"
  /// Every supported combination includes a date, so that no two donations are equivalent.
  case dateInEveryCombination = "date-in-every-combination"
  /// A dollar sign in a text neither begins a reference to a parameter nor is doubled, so that it is literal.
  case singleDollarSign = "single-dollar-sign"
  /// A title contains a line break, although displays show it on one line.
  case titleLineBreak = "title-line-break"
  /// No donation sets all parameters of a supported combination.
  case combinationNeverSatisfied = "combination-never-satisfied"
  /// A donated intent's type is not registered by the app, so that the donation is not used for predictions.
  case intentTypeUnregistered = "intent-type-unregistered"
  /// A donated intent's type is not eligible for suggestions, so that the donation is not used for predictions.
  case typeNotEligible = "type-not-eligible"
  /// A donated intent's type is not discoverable, so that surfaces never suggest its actions.
  case typeNotDiscoverable = "type-not-discoverable"
  /// A donated intent sets all parameters of none of its type's combinations.
  case noCombinationSatisfied = "no-combination-satisfied"
  /// A donated user activity is not eligible for both prediction and search.
  case activityNotEligible = "activity-not-eligible"
  /// A donated user activity has no value for one of its required keys.
  case requiredKeyMissing = "required-key-missing"
  /// A donation's date is more than ``TimelineLint/pastMax`` in the past, so that the donation predicts nothing.
  case donationLongPast = "donation-long-past"
  /// Donations agree in all values but one that always differs, so that no two of them are equivalent.
  case payloadNeverRepeats = "payload-never-repeats"
}

extension LintCode {
  /// The codes of findings about timelines; the others concern shortcuts, intents and donations.
  public static let timelineCodes = allCases.prefix { $0 != .onlyWatchFace }

  /// A short description of the finding, for lists.
  public var name: String {
    switch self {
    case .entriesUnsorted: "entries unsorted"
    case .entriesSameDate: "entries of one date"
    case .entriesTooClose: "entries under five minutes apart"
    case .entriesLongPast: "entries more than ten years in the past"
    case .scoreConstant: "constant score"
    case .scoreNeverZero: "never zero"
    case .scoreNeverCleared: "positive score never cleared"
    case .scoreOver: "positive scores that ended a day before"
    case .windowTooShort: "window shorter than two minutes"
    case .windowCutOff: "window beyond the next entry"
    case .expiryWithoutEffect: "expiry after the next entry"
    case .scaleChanged: "scale changed"
    case .reloadOverBudget: "reload policy exceeds the reload budget"
    case .emptyWhileInForce: "empty timeline with positive score in force"
    case .cardInvalid: "invalid card"
    case .cardUnknownElement: "card with an unknown element"
    case .cardRemoteImage: "card with a remote image"
    case .cardWithoutText: "card without text"
    case .onlyWatchFace: "only watch-face providers but a widget kind"
    case .dateAndRoutine: "overlapping date and routine providers"
    case .groupWithoutWindow: "group without a window"
    case .windowsOverlap: "overlapping windows"
    case .windowOver: "window ended before it was set"
    case .setDuplicate: "duplicate item in a set"
    case .kindUnregistered: "widget kind not registered"
    case .kindFitsNoStack: "no stack of a family that the kind supports"
    case .displayStringParameter: "display string passed as a separate parameter"
    case .dateInEveryCombination: "date-valued parameter inside every combination"
    case .singleDollarSign: "dollar sign without a reference in a text"
    case .titleLineBreak: "line break in a title"
    case .combinationNeverSatisfied: "combination never satisfied by any donation"
    case .intentTypeUnregistered: "donation of an intent type that is not registered"
    case .typeNotEligible: "donation of a type that is not eligible for suggestions"
    case .typeNotDiscoverable: "donation of a type that is not discoverable"
    case .noCombinationSatisfied: "donation that satisfies no combination"
    case .activityNotEligible: "donation of a user activity that is not eligible"
    case .requiredKeyMissing: "required key without a value"
    case .donationLongPast: "donation more than ten years in the past"
    case .payloadNeverRepeats: "the same action donated with a parameter that never repeats"
    }
  }
}
