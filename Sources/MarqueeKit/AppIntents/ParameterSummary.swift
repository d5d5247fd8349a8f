/// The summary of an intent: a sentence with parameters in it, and parameters below it.
///
/// It can depend on the widget family and on the values of parameters:
///
/// ```swift
/// static var parameterSummary: some ParameterSummary {
///   When(widgetFamily: .equalTo, .systemLarge) {
///     Summary("Departures of \(\.$line)") { \.$stops }
///   } otherwise: {
///     Summary("Departures of \(\.$line)")
///   }
/// }
/// ```
public protocol ParameterSummary {
  /// Returns the sentence for an intent in a family.
  func sentence(for intent: any AppIntent, in family: WidgetFamily) -> ParameterSummarySentence
  /// Returns the sentences that an intent can have in a family, depending on its parameter values.
  func sentences(for intent: any AppIntent, in family: WidgetFamily) -> [ParameterSummarySentence]
}

/// The evaluated summary of an intent.
public struct ParameterSummarySentence {
  /// The text and parameters of the sentence, then the parameters below it.
  let parts: [SentencePart]
}

/// A sentence with interpolated parameters.
public struct ParameterSummaryString<Intent: AppIntent>: ExpressibleByStringInterpolation {
  enum Part {
    case text(String)
    case parameter((Intent) -> any AnyIntentParameter)
  }

  /// The interpolation of the sentence.
  public struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var parts: [Part] = []

    public init(literalCapacity: Int, interpolationCount: Int) {}

    public mutating func appendLiteral(_ literal: String) {
      if !literal.isEmpty { parts.append(.text(literal)) }
    }

    /// Appends a parameter, such as `\.$line`.
    public mutating func appendInterpolation<Value>(_ path: KeyPath<Intent, IntentParameter<Value>>) {
      parts.append(.parameter { $0[keyPath: path] })
    }
  }

  fileprivate let parts: [Part]

  public init(stringInterpolation: StringInterpolation) { parts = stringInterpolation.parts }
  public init(stringLiteral value: String) { parts = value.isEmpty ? [] : [.text(value)] }

  /// Returns the parts of the sentence in the current language. Its key has `${name}` for a parameter.
  ///
  /// A localization that refers to anything else than parameters of the intent is not used.
  fileprivate func localizedParts(of intent: Intent) -> [SentencePart] {
    guard !parts.isEmpty else { return [] }
    let declared = AppIntentForm(intent).declaredParameters
    let written = parts.map { part -> SentencePart in
      switch part {
      case .text(let text): .text(text)
      case .parameter(let reading): .parameter(reading(intent), isInSentence: true)
      }
    }
    let key = written.map { part in
      switch part {
      case .text(let text): text
      case .parameter(let parameter, _): "${\(declared.first { $0.parameter === parameter }?.name ?? "")}"
      }
    }.joined()
    guard let text = ResolvedLanguage.current.string(for: key, in: [Localizations.defaultTable]) else { return written }
    let localized = ReferencePart.parts(of: text).map { part -> SentencePart? in
      switch part {
      case .text(let text): .text(text)
      case .reference(let name):
        declared.first { $0.name == name }.map { .parameter($0.parameter, isInSentence: true) }
      }
    }
    return localized.contains { $0 == nil } ? written : localized.compactMap(\.self)
  }
}

/// A sentence and the parameters below it.
public struct IntentParameterSummary<Intent: AppIntent>: ParameterSummary {
  private let sentence: ParameterSummaryString<Intent>
  private let others: [(Intent) -> any AnyIntentParameterReference]

  /// Creates a summary without parameters below the sentence.
  public init(_ sentence: ParameterSummaryString<Intent>) {
    self.sentence = sentence
    others = []
  }

  /// Creates a summary with parameters below the sentence.
  public init(
    _ sentence: ParameterSummaryString<Intent>,
    @ParameterListBuilder<Intent> table: () -> [(Intent) -> any AnyIntentParameterReference]
  ) {
    self.sentence = sentence
    others = table()
  }

  public func sentence(for intent: any AppIntent, in family: WidgetFamily) -> ParameterSummarySentence {
    guard let intent = intent as? Intent else { return ParameterSummarySentence(parts: []) }
    return ParameterSummarySentence(
      parts: sentence.localizedParts(of: intent) + others.map { .parameter($0(intent).parameter, isInSentence: false) })
  }

  public func sentences(for intent: any AppIntent, in family: WidgetFamily) -> [ParameterSummarySentence] {
    [sentence(for: intent, in: family)]
  }
}

/// A type-erased reference to a parameter of the summarized intent.
public protocol AnyIntentParameterReference {}

extension IntentParameter: AnyIntentParameterReference {}

extension AnyIntentParameterReference {
  fileprivate var parameter: any AnyIntentParameter {
    guard let parameter = self as? any AnyIntentParameter else {
      preconditionFailure("\(Self.self) is not a parameter")
    }
    return parameter
  }
}

/// A result builder for lists of parameters.
@resultBuilder
public enum ParameterListBuilder<Intent: AppIntent> {
  public static func buildExpression<Value>(
    _ path: KeyPath<Intent, IntentParameter<Value>>
  ) -> (Intent) -> any AnyIntentParameterReference {
    { $0[keyPath: path] }
  }

  public static func buildBlock(
    _ parameters: ((Intent) -> any AnyIntentParameterReference)...
  ) -> [(Intent) -> any AnyIntentParameterReference] {
    parameters
  }
}

/// A result builder for one summary.
@resultBuilder
public enum ParameterSummaryBuilder<Intent: AppIntent> {
  public static func buildBlock<Summary: ParameterSummary>(_ summary: Summary) -> Summary { summary }
}

extension AppIntent {
  public typealias Summary = IntentParameterSummary<Self>
  public typealias When = ParameterSummaryWhenCondition<Self>
  public typealias Switch<Value: Hashable> = ParameterSummarySwitchCondition<Self, Value>
  public typealias Case<Value: Hashable> = ParameterSummaryCase<Self, Value>
  public typealias DefaultCase<Value: Hashable> = ParameterSummaryDefaultCase<Self, Value>

}

extension AppIntent where SummaryContent == IntentParameterSummary<Self> {
  /// The default summary: all parameters, in declaration order.
  public static var parameterSummary: IntentParameterSummary<Self> { IntentParameterSummary("") }
}
