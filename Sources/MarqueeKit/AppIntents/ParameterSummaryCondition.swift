/// How a condition compares.
public enum ParameterSummaryComparison: Sendable {
  /// It is the value.
  case equalTo
  /// It is another.
  case notEqualTo
}

/// How a condition compares a family.
public enum WidgetFamilyComparison: Sendable {
  /// It is the family.
  case equalTo
  /// It is another.
  case notEqualTo
  /// It is one of the families.
  case oneOf
}

/// Whether a parameter is set.
public enum ParameterSummaryPresence: Sendable {
  /// It is.
  case hasAnyValue
  /// It is not.
  case hasNoValue
}

/// One sentence if something holds, and another if not.
public struct ParameterSummaryWhenCondition<Intent: AppIntent>: ParameterSummary {
  private let isMet: (Intent, WidgetFamily) -> Bool
  private let (first, second): (any ParameterSummary, any ParameterSummary)

  /// Depends on what a parameter is set to. One that is not set is no value.
  public init<Value: Equatable>(
    _ path: KeyPath<Intent, IntentParameter<Value>>, _ comparison: ParameterSummaryComparison, _ value: Value,
    @ParameterSummaryBuilder<Intent> _ summary: () -> some ParameterSummary,
    @ParameterSummaryBuilder<Intent> otherwise: () -> some ParameterSummary
  ) {
    isMet = { intent, _ in (intent[keyPath: path].settledValue == value) == (comparison == .equalTo) }
    (first, second) = (summary(), otherwise())
  }

  /// Depends on whether a parameter is set.
  public init<Value>(
    _ path: KeyPath<Intent, IntentParameter<Value>>, _ presence: ParameterSummaryPresence,
    @ParameterSummaryBuilder<Intent> _ summary: () -> some ParameterSummary,
    @ParameterSummaryBuilder<Intent> otherwise: () -> some ParameterSummary
  ) {
    isMet = { intent, _ in intent[keyPath: path].isSet == (presence == .hasAnyValue) }
    (first, second) = (summary(), otherwise())
  }

  /// Depends on the widget's family.
  public init(
    widgetFamily comparison: WidgetFamilyComparison, _ families: WidgetFamily...,
    @ParameterSummaryBuilder<Intent> summary: () -> some ParameterSummary,
    @ParameterSummaryBuilder<Intent> otherwise: () -> some ParameterSummary
  ) {
    isMet = { _, family in families.contains(family) == (comparison != .notEqualTo) }
    (first, second) = (summary(), otherwise())
  }

  public func sentence(for intent: any AppIntent, in family: WidgetFamily) -> ParameterSummarySentence {
    guard let asked = intent as? Intent else { return ParameterSummarySentence(parts: []) }
    return (isMet(asked, family) ? first : second).sentence(for: intent, in: family)
  }
}

/// The sentence of the first case that fits.
public struct ParameterSummarySwitchCondition<Intent: AppIntent, Value: Hashable>: ParameterSummary {
  private let value: (Intent, WidgetFamily) -> Value?
  private let cases: [AnyParameterSummaryCase<Intent, Value>]

  /// By what a parameter is set to.
  public init(
    _ path: KeyPath<Intent, IntentParameter<Value>>,
    @ParameterSummaryCaseBuilder<Intent, Value> _ cases: () -> [AnyParameterSummaryCase<Intent, Value>]
  ) where Value: IntentParameterValue {
    value = { intent, _ in intent[keyPath: path].settledValue }
    self.cases = cases()
  }

  /// By the widget's family.
  public init(
    _ subject: WidgetFamilySubject,
    @ParameterSummaryCaseBuilder<Intent, Value> _ cases: () -> [AnyParameterSummaryCase<Intent, Value>]
  ) where Value == WidgetFamily {
    value = { _, family in family }
    self.cases = cases()
  }

  public func sentence(for intent: any AppIntent, in family: WidgetFamily) -> ParameterSummarySentence {
    let current = (intent as? Intent).flatMap { value($0, family) }
    let fitting = cases.first { $0.fits(current) }
    return fitting?.summary.sentence(for: intent, in: family) ?? ParameterSummarySentence(parts: [])
  }
}

/// What a switch without a parameter is about.
public enum WidgetFamilySubject: Sendable {
  /// The widget's family.
  case widgetFamily
}

/// The sentence for some values.
public struct ParameterSummaryCase<Intent: AppIntent, Value: Hashable> {
  fileprivate let one: AnyParameterSummaryCase<Intent, Value>

  /// For these values.
  public init(
    _ values: Value..., @ParameterSummaryBuilder<Intent> summary: () -> some ParameterSummary
  ) {
    one = AnyParameterSummaryCase(values: values, summary: summary())
  }
}

/// The sentence for all other values.
public struct ParameterSummaryDefaultCase<Intent: AppIntent, Value: Hashable> {
  fileprivate let one: AnyParameterSummaryCase<Intent, Value>

  /// For all that no case before it is for.
  public init(@ParameterSummaryBuilder<Intent> _ summary: () -> some ParameterSummary) {
    one = AnyParameterSummaryCase(values: nil, summary: summary())
  }
}

/// A case, or the default one.
public struct AnyParameterSummaryCase<Intent: AppIntent, Value: Hashable> {
  fileprivate let values: [Value]?
  fileprivate let summary: any ParameterSummary

  fileprivate func fits(_ value: Value?) -> Bool {
    guard let values else { return true }
    return value.map(values.contains) ?? false
  }
}

/// Puts cases together.
@resultBuilder
public enum ParameterSummaryCaseBuilder<Intent: AppIntent, Value: Hashable> {
  public static func buildExpression(
    _ one: ParameterSummaryCase<Intent, Value>
  ) -> AnyParameterSummaryCase<Intent, Value> { one.one }

  public static func buildExpression(
    _ one: ParameterSummaryDefaultCase<Intent, Value>
  ) -> AnyParameterSummaryCase<Intent, Value> { one.one }

  public static func buildBlock(
    _ cases: AnyParameterSummaryCase<Intent, Value>...
  ) -> [AnyParameterSummaryCase<Intent, Value>] { cases }
}
