/// A text shown to the user. It is not localized.
public struct LocalizedStringResource: ExpressibleByStringInterpolation, Hashable, Sendable, CustomStringConvertible {
  /// The text.
  public let key: String

  /// Creates the resource.
  public init(stringLiteral value: String) { key = value }

  /// Creates the resource.
  public init(_ text: String) { key = text }

  public var description: String { key }
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
  public init(stringLiteral value: String) { self.init(title: LocalizedStringResource(value)) }
}

/// The representation of a type for display.
public struct TypeDisplayRepresentation: ExpressibleByStringInterpolation, Hashable, Sendable {
  /// The name of the type.
  public var name: LocalizedStringResource

  /// Creates a representation.
  public init(name: LocalizedStringResource) { self.name = name }

  /// Creates a representation from a literal.
  public init(stringLiteral value: String) { self.init(name: LocalizedStringResource(value)) }
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
  public init(stringLiteral value: String) { self.init(LocalizedStringResource(value)) }
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
