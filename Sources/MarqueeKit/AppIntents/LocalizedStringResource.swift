public import Foundation

/// A text shown to the user, in the language of the device.
///
/// The text is the key's in the app's ``Localizations``, or else ``key`` itself, with interpolated values in place of
/// the placeholders. A text is resolved when it is sent.
public struct LocalizedStringResource: ExpressibleByStringInterpolation, Hashable, Sendable, CustomStringConvertible {
  public typealias StringInterpolation = String.LocalizationValue.StringInterpolation

  /// The key, with placeholders for interpolated values: see `String.LocalizationValue`.
  public let key: String
  /// The name of the table that contains the key; `nil` for `Localizable`.
  public let table: String?
  /// The locale whose language is used; `nil` for the language of the device.
  public var locale: Locale?
  /// The text without a localization; `nil` for the key.
  let defaultValue: String?
  let arguments: [FormatArgument]
  /// Whether the key is looked up.
  let isLocalized: Bool

  private init(
    key: String, _ arguments: [FormatArgument] = [], defaultValue: String? = nil, table: String? = nil,
    locale: Locale? = nil, isLocalized: Bool = true
  ) {
    (self.key, self.arguments, self.defaultValue) = (key, arguments, defaultValue)
    (self.table, self.locale, self.isLocalized) = (table, locale, isLocalized)
  }

  /// Creates a resource whose key is also its text in the development language.
  public init(stringLiteral value: String) { self.init(key: value) }

  /// Creates a resource with interpolated values.
  public init(stringInterpolation: StringInterpolation) {
    self.init(key: stringInterpolation.key, stringInterpolation.arguments)
  }

  /// Creates a resource whose key is also its text in the development language.
  ///
  /// - Parameters:
  ///   - keyAndValue: The key.
  ///   - table: The name of the table that contains the key; `nil` for `Localizable`.
  ///   - locale: The locale whose language is used; `nil` for the language of the device.
  ///   - comment: A note for translators, which has no effect.
  public init(
    _ keyAndValue: String.LocalizationValue, table: String? = nil, locale: Locale? = nil, comment: StaticString? = nil
  ) {
    self.init(key: keyAndValue.key, keyAndValue.arguments, table: table, locale: locale)
  }

  /// Creates a resource with a key of its own.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - defaultValue: The text without a localization, with the interpolated values.
  ///   - table: The name of the table that contains the key; `nil` for `Localizable`.
  ///   - locale: The locale whose language is used; `nil` for the language of the device.
  ///   - comment: A note for translators, which has no effect.
  public init(
    _ key: StaticString, defaultValue: String.LocalizationValue, table: String? = nil, locale: Locale? = nil,
    comment: StaticString? = nil
  ) {
    self.init(
      key: "\(key)", defaultValue.arguments, defaultValue: defaultValue.key, table: table, locale: locale)
  }

  /// Creates a text that is the same in every language, such as the name of something.
  init(verbatim text: String) { self.init(key: text, isLocalized: false) }

  /// The text in the language of ``locale`` or, without one, of the device.
  var text: String { ResolvedLanguage.current.text(of: self) }

  public var description: String { text }
}

/// The representation of a value for display.
public struct DisplayRepresentation: ExpressibleByStringInterpolation, Hashable, Sendable {
  /// The first line.
  public var title: LocalizedStringResource
  /// The second line of an option in a list, and of a donation; of a value it is not stored.
  public var subtitle: LocalizedStringResource?

  /// Creates a representation.
  public init(title: LocalizedStringResource, subtitle: LocalizedStringResource? = nil) {
    self.title = title
    self.subtitle = subtitle
  }

  /// Creates a representation with a title only.
  public init(stringLiteral value: String) { self.init(title: LocalizedStringResource(stringLiteral: value)) }

  /// Creates a representation with a title only.
  public init(stringInterpolation: LocalizedStringResource.StringInterpolation) {
    self.init(title: LocalizedStringResource(stringInterpolation: stringInterpolation))
  }
}

extension DisplayRepresentation {
  /// Creates a representation that is the same in every language.
  init(verbatim title: String) { self.init(title: LocalizedStringResource(verbatim: title)) }
}

/// The representation of a type for display.
public struct TypeDisplayRepresentation: ExpressibleByStringInterpolation, Hashable, Sendable {
  /// The name of the type.
  public var name: LocalizedStringResource

  /// Creates a representation.
  public init(name: LocalizedStringResource) { self.name = name }

  /// Creates a representation from a literal.
  public init(stringLiteral value: String) { self.init(name: LocalizedStringResource(stringLiteral: value)) }

  /// Creates a representation from an interpolated literal.
  public init(stringInterpolation: LocalizedStringResource.StringInterpolation) {
    self.init(name: LocalizedStringResource(stringInterpolation: stringInterpolation))
  }
}

/// The description of an intent.
public struct IntentDescription: ExpressibleByStringInterpolation, Hashable, Sendable {
  /// The text.
  public let descriptionText: LocalizedStringResource
  /// The category of the intent in a list of actions; `nil` for none.
  public let categoryName: LocalizedStringResource?
  /// The terms by which a list of actions is searched.
  public let searchKeywords: [LocalizedStringResource]
  /// The name of the intent's result; `nil` for none.
  public let resultValueName: LocalizedStringResource?

  /// Creates the resource.
  public init(
    _ descriptionText: LocalizedStringResource, categoryName: LocalizedStringResource? = nil,
    searchKeywords: [LocalizedStringResource] = [], resultValueName: LocalizedStringResource? = nil
  ) {
    self.descriptionText = descriptionText
    self.categoryName = categoryName
    self.searchKeywords = searchKeywords
    self.resultValueName = resultValueName
  }

  /// Creates the resource.
  public init(stringLiteral value: String) { self.init(LocalizedStringResource(stringLiteral: value)) }

  /// Creates the resource.
  public init(stringInterpolation: LocalizedStringResource.StringInterpolation) {
    self.init(LocalizedStringResource(stringInterpolation: stringInterpolation))
  }
}

/// A type of an intent's static `description`: an ``IntentDescription``, optional or not.
public protocol IntentDescriptionContent: Sendable {
  /// The description; `nil` for none.
  var intentDescription: IntentDescription? { get }
}

extension IntentDescription: IntentDescriptionContent {
  public var intentDescription: IntentDescription? { self }
}

extension Optional: IntentDescriptionContent where Wrapped == IntentDescription {
  public var intentDescription: IntentDescription? { self }
}
