/// A text for people. It is not translated here.
public struct LocalizedStringResource: ExpressibleByStringInterpolation, Hashable, Sendable, CustomStringConvertible {
  /// The text.
  public let key: String

  /// That text.
  public init(stringLiteral value: String) { key = value }

  /// That text.
  public init(_ text: String) { key = text }

  public var description: String { key }
}

/// How a value is shown.
public struct DisplayRepresentation: ExpressibleByStringInterpolation, Hashable, Sendable {
  /// The first line.
  public var title: LocalizedStringResource
  /// The second line. The server is not told of it.
  public var subtitle: LocalizedStringResource?

  /// A representation.
  public init(title: LocalizedStringResource, subtitle: LocalizedStringResource? = nil) {
    self.title = title
    self.subtitle = subtitle
  }

  /// That text, in one line.
  public init(stringLiteral value: String) { self.init(title: LocalizedStringResource(value)) }
}

/// How a type is shown.
public struct TypeDisplayRepresentation: ExpressibleByStringInterpolation, Hashable, Sendable {
  /// Its name.
  public var name: LocalizedStringResource

  /// A representation.
  public init(name: LocalizedStringResource) { self.name = name }

  /// That name.
  public init(stringLiteral value: String) { self.init(name: LocalizedStringResource(value)) }
}

/// What an intent does, for people.
public struct IntentDescription: ExpressibleByStringInterpolation, Hashable, Sendable {
  /// The text.
  public let descriptionText: LocalizedStringResource
  /// What people call what the intent gives, if anything.
  public let resultValueName: LocalizedStringResource?

  /// That text.
  public init(_ descriptionText: LocalizedStringResource, resultValueName: LocalizedStringResource? = nil) {
    self.descriptionText = descriptionText
    self.resultValueName = resultValueName
  }

  /// That text.
  public init(stringLiteral value: String) { self.init(LocalizedStringResource(value)) }
}
