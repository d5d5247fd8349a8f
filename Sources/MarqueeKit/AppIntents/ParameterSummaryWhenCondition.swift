/// The comparison of a parameter's value.
public enum ParameterSummaryComparison: Sendable {
  /// The values are equal.
  case equalTo
  /// The values differ.
  case notEqualTo
}

/// The comparison of a widget family.
public enum WidgetFamilyComparison: Sendable {
  /// The families are equal.
  case equalTo
  /// The values differ.
  case notEqualTo
  /// The family is one of several.
  case oneOf
}

/// Whether a parameter is set.
public enum ParameterSummaryPresence: Sendable {
  /// The parameter has a value.
  case hasAnyValue
  /// The parameter has no value.
  case hasNoValue
}

/// A summary that depends on a condition.
public struct ParameterSummaryWhenCondition<Intent: AppIntent>: ParameterSummary {
  private let isMet: (Intent, WidgetFamily) -> Bool
  /// Whether the condition is on the widget family, not on a parameter's value.
  private let isOnFamily: Bool
  private let (first, second): (any ParameterSummary, any ParameterSummary)

  /// Creates a condition on a parameter's value. A parameter that is not set equals no value.
  public init<Value: Equatable>(
    _ path: KeyPath<Intent, IntentParameter<Value>>, _ comparison: ParameterSummaryComparison, _ value: Value,
    @ParameterSummaryBuilder<Intent> _ summary: () -> some ParameterSummary,
    @ParameterSummaryBuilder<Intent> otherwise: () -> some ParameterSummary
  ) {
    isMet = { intent, _ in (intent[keyPath: path].settledValue == value) == (comparison == .equalTo) }
    isOnFamily = false
    (first, second) = (summary(), otherwise())
  }

  /// Creates a condition on whether a parameter is set.
  public init<Value>(
    _ path: KeyPath<Intent, IntentParameter<Value>>, _ presence: ParameterSummaryPresence,
    @ParameterSummaryBuilder<Intent> _ summary: () -> some ParameterSummary,
    @ParameterSummaryBuilder<Intent> otherwise: () -> some ParameterSummary
  ) {
    isMet = { intent, _ in intent[keyPath: path].isSet == (presence == .hasAnyValue) }
    isOnFamily = false
    (first, second) = (summary(), otherwise())
  }

  /// Creates a condition on the widget family.
  public init(
    widgetFamily comparison: WidgetFamilyComparison, _ families: WidgetFamily...,
    @ParameterSummaryBuilder<Intent> summary: () -> some ParameterSummary,
    @ParameterSummaryBuilder<Intent> otherwise: () -> some ParameterSummary
  ) {
    isMet = { _, family in families.contains(family) == (comparison != .notEqualTo) }
    isOnFamily = true
    (first, second) = (summary(), otherwise())
  }

  public func sentence(for intent: any AppIntent, in family: WidgetFamily) -> ParameterSummarySentence {
    guard let typed = intent as? Intent else { return ParameterSummarySentence(parts: []) }
    return (isMet(typed, family) ? first : second).sentence(for: intent, in: family)
  }

  public func sentences(for intent: any AppIntent, in family: WidgetFamily) -> [ParameterSummarySentence] {
    guard let typed = intent as? Intent else { return [ParameterSummarySentence(parts: [])] }
    let branches = !isOnFamily ? [first, second] : isMet(typed, family) ? [first] : [second]
    return branches.flatMap { $0.sentences(for: intent, in: family) }
  }
}

/// A summary that depends on a value: the first matching case.
public struct ParameterSummarySwitchCondition<Intent: AppIntent, Value: Hashable>: ParameterSummary {
  private let value: (Intent, WidgetFamily) -> Value?
  /// Whether the switch is over the widget family, not over a parameter's value.
  private let isOnFamily: Bool
  private let cases: [AnyParameterSummaryCase<Intent, Value>]

  /// Creates a switch over a parameter's value.
  public init(
    _ path: KeyPath<Intent, IntentParameter<Value>>,
    @ParameterSummaryCaseBuilder<Intent, Value> _ cases: () -> [AnyParameterSummaryCase<Intent, Value>]
  ) where Value: IntentParameterValue {
    value = { intent, _ in intent[keyPath: path].settledValue }
    isOnFamily = false
    self.cases = cases()
  }

  /// Creates a switch over the widget family.
  public init(
    _ subject: WidgetFamilySubject,
    @ParameterSummaryCaseBuilder<Intent, Value> _ cases: () -> [AnyParameterSummaryCase<Intent, Value>]
  ) where Value == WidgetFamily {
    value = { _, family in family }
    isOnFamily = true
    self.cases = cases()
  }

  public func sentence(for intent: any AppIntent, in family: WidgetFamily) -> ParameterSummarySentence {
    match(for: intent, in: family)?.sentence(for: intent, in: family) ?? ParameterSummarySentence(parts: [])
  }

  public func sentences(for intent: any AppIntent, in family: WidgetFamily) -> [ParameterSummarySentence] {
    var possible: [(any ParameterSummary)?] = isOnFamily ? [match(for: intent, in: family)] : cases.map { $0.summary }
    // A value without a case has no summary.
    if !isOnFamily, !cases.contains(where: { $0.matches(nil) }) { possible.append(nil) }
    return possible.flatMap { $0?.sentences(for: intent, in: family) ?? [ParameterSummarySentence(parts: [])] }
  }

  private func match(for intent: any AppIntent, in family: WidgetFamily) -> (any ParameterSummary)? {
    let current = (intent as? Intent).flatMap { value($0, family) }
    return cases.first { $0.matches(current) }?.summary
  }
}

/// The subject of a switch over the widget family.
public enum WidgetFamilySubject: Sendable {
  /// The widget family.
  case widgetFamily
}

/// The summary for some values.
public struct ParameterSummaryCase<Intent: AppIntent, Value: Hashable> {
  fileprivate let one: AnyParameterSummaryCase<Intent, Value>

  /// Creates a case for some values.
  public init(
    _ values: Value..., @ParameterSummaryBuilder<Intent> summary: () -> some ParameterSummary
  ) {
    one = AnyParameterSummaryCase(values: values, summary: summary())
  }
}

/// The summary for all other values.
public struct ParameterSummaryDefaultCase<Intent: AppIntent, Value: Hashable> {
  fileprivate let one: AnyParameterSummaryCase<Intent, Value>

  /// Creates the default case.
  public init(@ParameterSummaryBuilder<Intent> _ summary: () -> some ParameterSummary) {
    one = AnyParameterSummaryCase(values: nil, summary: summary())
  }
}

/// A type-erased case.
public struct AnyParameterSummaryCase<Intent: AppIntent, Value: Hashable> {
  fileprivate let values: [Value]?
  fileprivate let summary: any ParameterSummary

  fileprivate func matches(_ value: Value?) -> Bool {
    guard let values else { return true }
    return value.map(values.contains) ?? false
  }
}

/// A result builder for the cases of a switch.
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
