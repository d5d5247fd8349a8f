/// Caches the fact that the last evaluation of a stack, or of all suggestions, changed nothing.
///
/// The evaluation is skipped until one of its inputs changes. A cache only: evaluating again gives the same result
/// (rule R9), so it is ``Uncompared``.
struct EvaluationCache: Sendable {
  /// The value of ``WidgetTable/revision`` at the last evaluation, or `nil` if the cache is invalid.
  private var revision: UInt64?
  /// Whether blocked decisions were counted at the last evaluation.
  private var isCounted = false

  init() {}

  /// Records that an evaluation at this revision of the widgets left nothing to do.
  mutating func store(_ revision: UInt64, isCounted: Bool) {
    self.revision = revision
    self.isCounted = isCounted
  }

  /// Invalidates the cache after a change other than to a widget.
  mutating func invalidate() { revision = nil }

  /// Returns the widget revision of the last evaluation, or `nil` if the cache is invalid.
  ///
  /// An evaluation that did not count blocked decisions is invalid for a caller that counts them.
  func revision(counting isCounting: Bool) -> UInt64? { isCounted || !isCounting ? revision : nil }
}
