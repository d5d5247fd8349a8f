import MarqueeModel

/// A phrase by which the user can ask for an intent.
///
/// It contains the app's name exactly once, and at most one parameter:
///
/// ```swift
/// "Buy a ticket for \(\.$line) in \(.applicationName)"
/// ```
///
/// Case, diacritics, punctuation and the amount of white space are not compared with the user's words. The texts have
/// at most 1000 bytes, and the phrase at most 16 parts: texts, the name and the parameter.
public struct AppShortcutPhrase<Intent: AppIntent>: ExpressibleByStringInterpolation {
  enum Part {
    case text(String)
    case applicationName
    case parameter((Intent) -> any AnyIntentParameter)
  }

  /// The interpolation of the phrase.
  public struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var parts: [Part] = []

    public init(literalCapacity: Int, interpolationCount: Int) {}

    public mutating func appendLiteral(_ literal: String) {
      if !literal.isEmpty { parts.append(.text(literal)) }
    }

    /// Appends the app's name: `.applicationName`.
    public mutating func appendInterpolation(_ token: AppShortcutPhraseToken) {
      switch token {
      case .applicationName: parts.append(.applicationName)
      }
    }

    /// Appends a parameter, such as `\.$line`.
    public mutating func appendInterpolation<Value>(_ path: KeyPath<Intent, IntentParameter<Value>>) {
      parts.append(.parameter { $0[keyPath: path] })
    }
  }

  private let parts: [Part]

  public init(stringInterpolation: StringInterpolation) { parts = stringInterpolation.parts }
  public init(stringLiteral value: String) { parts = value.isEmpty ? [] : [.text(value)] }

  /// Returns the phrase, converted to the server's model.
  ///
  /// - Throws: `RequestError` that names the phrase if it is invalid.
  func template(for intent: Intent) throws(RequestError) -> PhraseTemplate {
    let declared = AppIntentForm(intent).declaredParameters
    do throws(RequestError) {
      return try PhraseTemplate(
        parts.map { (part) throws(RequestError) -> PhraseTemplate.Part in
          switch part {
          case .text(let text): return .text(text)
          case .applicationName: return .applicationName
          case .parameter(let reading): return .parameter(try Self.parameter(reading(intent), declared))
          }
        })
    } catch {
      let words = description(for: intent, declared)
      throw RequestError(
        error.code, field: "appShortcuts", "the phrase \"\(words)\" of \(Intent.self): \(error.reason)")
    }
  }

  private static func parameter(
    _ parameter: any AnyIntentParameter, _ declared: [(name: String, parameter: any AnyIntentParameter)]
  ) throws(RequestError) -> PhraseTemplate.Parameter {
    guard let name = declared.first(where: { $0.parameter === parameter })?.name else {
      throw RequestError(.invalidArgument, "the parameter is not declared by the intent")
    }
    guard !parameter.type.isArray else {
      throw RequestError(.invalidArgument, "the parameter \(name) is an array")
    }
    return PhraseTemplate.Parameter(
      try .init(name), type: parameter.type.value, hasOptions: parameter.hasOptions)
  }

  private func description(
    for intent: Intent, _ declared: [(name: String, parameter: any AnyIntentParameter)]
  ) -> String {
    parts.map { part -> String in
      switch part {
      case .text(let text): return text
      case .applicationName: return "${applicationName}"
      case .parameter(let reading):
        let parameter = reading(intent)
        let name = declared.first { $0.parameter === parameter }?.name
        return "${\(name ?? "")}"
      }
    }.joined()
  }
}

/// A token in a phrase.
public enum AppShortcutPhraseToken: Sendable {
  /// The app's name: `MARQUEE_APP_NAME`, or else the last component of its bundle identifier. Several apps can have the
  /// same name.
  case applicationName
}
