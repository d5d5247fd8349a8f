/// The findings on timelines, each with a code that does not change (rules L).
///
/// A finding is advice: the timeline is accepted all the same. <doc:Findings> explains each, with what to do about it.
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
  /// A positive score holds for less than ``TimelineLint/windowMin``.
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
}
