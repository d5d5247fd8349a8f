import Foundation
import MarqueeModel

/// A language with an app's texts in it. All texts that are sent are looked up here.
struct ResolvedLanguage: Sendable {
  /// The language of a registration that is being made; `nil` for that of the current connection.
  @TaskLocal private static var scoped: ResolvedLanguage?

  /// The device's language; `nil` if it is not known yet.
  let language: LanguageTag?
  private let localizations: Localizations
  /// The texts by table and key, in the order in which they are looked up.
  private let texts: [[String: [String: String]]]

  init(_ language: LanguageTag?, _ localizations: Localizations) {
    (self.language, self.localizations) = (language, localizations)
    texts = localizations.texts(for: language)
  }

  /// The language of the innermost enclosing ``run(_:)``, or else that of the current connection's device.
  static var current: ResolvedLanguage {
    scoped ?? AppConnection.existing?.texts.resolved ?? ResolvedLanguage(nil, .none)
  }

  /// The app's development language.
  var development: ResolvedLanguage { ResolvedLanguage(localizations.development, localizations) }

  /// Runs `body` with the texts in this language.
  func run<Result>(_ body: () throws -> Result) rethrows -> Result {
    try Self.$scoped.withValue(self, operation: body)
  }

  /// Returns the text of a resource.
  func text(of resource: LocalizedStringResource) -> String {
    guard resource.isLocalized, !resource.key.isEmpty else { return resource.key }
    let language = resource.locale.flatMap(Self.tag).map { ResolvedLanguage($0, localizations) } ?? self
    let format =
      language.string(for: resource.key, in: [resource.table ?? Localizations.defaultTable])
      ?? resource.defaultValue ?? resource.key
    return resource.arguments.isEmpty ? format : FormatArgument.text(format, resource.arguments, in: language)
  }

  /// Returns the text of a key in the first of these tables that has it; `nil` if it has no text in any language.
  func string(for key: String, in tables: [String]) -> String? {
    for texts in texts {
      for table in tables {
        if let text = texts[table]?[key] { return text }
      }
    }
    return nil
  }

  /// Returns the language of a locale; `nil` if it has none.
  private static func tag(_ locale: Locale) -> LanguageTag? {
    // An identifier that is not a language tag, such as that of an empty locale, has no language.
    try? LanguageTag(locale.identifier(.bcp47))
  }
}

/// A part of a localized text with references, such as `${name}`.
enum ReferencePart: Hashable {
  case text(String)
  case reference(String)

  /// Returns the parts of a text. A reference that is not closed is text.
  static func parts(of text: String) -> [ReferencePart] {
    var parts: [ReferencePart] = []
    var literal = ""
    var rest = Substring(text)
    while let start = rest.range(of: "${") {
      literal += rest[..<start.lowerBound]
      guard let end = rest[start.upperBound...].firstIndex(of: "}") else {
        rest = rest[start.lowerBound...]
        break
      }
      if !literal.isEmpty { parts.append(.text(literal)) }
      literal = ""
      parts.append(.reference(String(rest[start.upperBound..<end])))
      rest = rest[rest.index(after: end)...]
    }
    literal += rest
    return literal.isEmpty ? parts : parts + [.text(literal)]
  }
}
