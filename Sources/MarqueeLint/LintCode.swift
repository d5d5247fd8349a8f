/// The findings, each with a code that does not change (rules L).
///
/// A finding is advice: what was sent is accepted all the same. <doc:Findings> explains each, with what to do about it.
public enum LintCode: String, CaseIterable, Sendable {
  /// An entry is dated before the one sent ahead of it; entries were sorted (rule T2).
  case entriesUnsorted = "entries-unsorted"
  /// Two entries have one date; the one sent last stays (rule T2).
  case entriesSameDate = "entries-same-date"
  /// An entry follows another in less than ``TimelineLint/entrySpacingMin``.
  case entriesTooClose = "entries-too-close"
  /// Of three or more scores none differs from the others, and none ends before the next one begins.
  case scoreConstant = "score-constant"
  /// Of three or more scores none is 0 or less, and none ends before the next one begins.
  case scoreNeverZero = "score-never-zero"
  /// A positive score without an end is the last: it holds for ever, since entries without relevance do not clear it
  /// (rule T3).
  case scoreNeverCleared = "score-never-cleared"
  /// A positive score, or a shortcut's window, holds for less than ``TimelineLint/windowMin``.
  case windowTooShort = "window-too-short"
  /// A positive score would hold beyond the next entry that provides relevance, which cuts it off (rule T3).
  case windowCutOff = "window-cut-off"
  /// The highest score is more than ``TimelineLint/scaleFactorMax`` times that of the kind so far, or less than that
  /// part of it (rule T6).
  case scaleChanged = "scale-changed"
  /// The policy asks for the next timeline sooner than the reload budget or its spacing allows (rule T9).
  case reloadOverBudget = "reload-over-budget"
  /// There are no entries, but a positive score is in force and stays so (rule T4).
  case emptyWhileInForce = "empty-while-in-force"
  /// A shortcut names a widget kind, but has only providers that count for the watch face (rule S5).
  case onlyWatchFace = "only-watch-face"
  /// A shortcut that names a widget kind has both date and routine providers; the latter do nothing for the widget.
  case dateAndRoutine = "date-and-routine"
  /// Windows of one shortcut, or of one relevant intent, overlap (rule S3).
  case windowsOverlap = "windows-overlap"
  /// Everything that made a shortcut relevant had ended when it was set.
  case windowOver = "window-over"
  /// A set names the same thing twice.
  case setDuplicate = "set-duplicate"
  /// The app has not registered the kind that is named.
  case kindUnregistered = "kind-unregistered"
  /// The device has stacks, but none of a family that the kind supports.
  case kindFitsNoStack = "kind-fits-no-stack"
  /// A string parameter repeats what is shown for an object beside it, so that another wording is another intent.
  case displayStringParameter = "display-string-parameter"
  /// Every supported combination has a parameter that is a date, so that no two donations are alike (rule D2).
  case dateInEveryCombination = "date-in-every-combination"
  /// No donation has set all parameters of a supported combination (rule D2).
  case combinationNeverSatisfied = "combination-never-satisfied"
  /// An intent was donated whose type the app has not registered, so that it predicts nothing (rule D2).
  case intentTypeUnregistered = "intent-type-unregistered"
  /// An intent was donated whose type is not eligible for suggestions, so that it predicts nothing (rule D3).
  case typeNotEligible = "type-not-eligible"
  /// An intent was donated that sets all parameters of none of its type's combinations (rule D2).
  case noCombinationSatisfied = "no-combination-satisfied"
  /// A user activity was donated that is not eligible for both prediction and search (rule D4).
  case activityNotEligible = "activity-not-eligible"
  /// A user activity was donated without a value for one of its required keys (rule D4).
  case requiredKeyMissing = "required-key-missing"
  /// Donations are alike but for one value that is another each time, so that no two count as the same (rules D2, D4).
  case payloadNeverRepeats = "payload-never-repeats"
}

extension LintCode {
  /// The codes that a timeline can have; the others are of shortcuts, intents and donations.
  public static let timelineCodes = allCases.prefix { $0 != .onlyWatchFace }

  /// The finding in a few words, as a list of findings names it.
  public var name: String {
    switch self {
    case .entriesUnsorted: "entries unsorted"
    case .entriesSameDate: "entries of one date"
    case .entriesTooClose: "entries under five minutes apart"
    case .scoreConstant: "constant score"
    case .scoreNeverZero: "never zero"
    case .scoreNeverCleared: "positive score never cleared"
    case .windowTooShort: "window shorter than two minutes"
    case .windowCutOff: "window beyond the next entry"
    case .scaleChanged: "scale changed"
    case .reloadOverBudget: "reload policy asks for more than the budget"
    case .emptyWhileInForce: "empty timeline with positive score in force"
    case .onlyWatchFace: "only watch-face providers but a widget kind"
    case .dateAndRoutine: "overlapping date and routine providers"
    case .windowsOverlap: "overlapping windows"
    case .windowOver: "window over before it was set"
    case .setDuplicate: "the same thing twice in a set"
    case .kindUnregistered: "widget kind not registered"
    case .kindFitsNoStack: "no stack of a family that the kind supports"
    case .displayStringParameter: "display string passed as a separate parameter"
    case .dateInEveryCombination: "date-valued parameter inside every combination"
    case .combinationNeverSatisfied: "combination never satisfied by any donation"
    case .intentTypeUnregistered: "donation of an intent type that is not registered"
    case .typeNotEligible: "donation of a type that is not eligible for suggestions"
    case .noCombinationSatisfied: "donation that satisfies no combination"
    case .activityNotEligible: "donation of a user activity that is not eligible"
    case .requiredKeyMissing: "required key without a value"
    case .payloadNeverRepeats: "the same action donated with a parameter that never repeats"
    }
  }
}
