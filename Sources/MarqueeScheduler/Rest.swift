/// That nothing was left to do for a stack, or to suggest: it need not be looked at again until something changes that
/// was looked at. It is no part of a device's state: who looks all the same finds the same (rule R9).
struct Rest: Equatable, Sendable {
  /// ``WidgetTable/revision`` when it began; `nil` while there is something to look at.
  private var revision: UInt64?
  /// Whether what holds the best candidate was counted then.
  private var isCounted = false

  init() {}

  static func == (left: Rest, right: Rest) -> Bool { true }

  /// Nothing is left to do with widgets as they are.
  mutating func begin(_ revision: UInt64, isCounted: Bool) {
    self.revision = revision
    self.isCounted = isCounted
  }

  /// Something changed, other than a widget.
  mutating func end() { revision = nil }

  /// The revision of widgets that was looked at last; `nil` when more than widgets has to be looked at.
  func revision(counting isCounting: Bool) -> UInt64? { isCounted || !isCounting ? revision : nil }
}
