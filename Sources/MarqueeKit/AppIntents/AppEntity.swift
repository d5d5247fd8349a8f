public import Foundation
public import MarqueeModel

/// An entity identifier that can be converted to and from a string.
public protocol EntityIdentifierConvertible {
  /// The string form of the identifier.
  var entityIdentifierString: String { get }
  /// Returns the identifier of a string form; `nil` if the string is invalid.
  static func entityIdentifier(for entityIdentifierString: String) -> Self?
}

extension String: EntityIdentifierConvertible {
  public var entityIdentifierString: String { self }
  public static func entityIdentifier(for entityIdentifierString: String) -> String? { entityIdentifierString }
}

extension Int: EntityIdentifierConvertible {
  public var entityIdentifierString: String { String(self) }
  public static func entityIdentifier(for entityIdentifierString: String) -> Int? { Int(entityIdentifierString) }
}

extension UUID: EntityIdentifierConvertible {
  public var entityIdentifierString: String { uuidString }
  public static func entityIdentifier(for entityIdentifierString: String) -> UUID? {
    UUID(uuidString: entityIdentifierString)
  }
}

/// A query for an app's entities.
public protocol EntityQuery: Sendable {
  /// The entity type.
  associatedtype Entity: AppEntity
  /// The result of ``suggestedEntities()``: an array, or an ``ItemCollection`` with sections.
  associatedtype Suggestions: ResultsCollection = [Entity] where Suggestions.Item == Entity

  /// Creates a query.
  init()

  /// Returns the entities with these identifiers, in any order, omitting those that no longer exist.
  func entities(for identifiers: [Entity.ID]) async throws -> [Entity]

  /// Returns the options to show without a search text. Defaults to none, or to all entities of an
  /// ``EnumerableEntityQuery``.
  func suggestedEntities() async throws -> Suggestions

  /// Returns the default value of a parameter. Defaults to `nil`.
  func defaultResult() async -> Entity?
}

extension EntityQuery where Suggestions == [Entity] {
  public func suggestedEntities() async throws -> [Entity] { [] }
}

extension EntityQuery {
  public func defaultResult() async -> Entity? { nil }

  /// The description of the find action; `nil` if the query finds no entities by properties.
  fileprivate var findDescription: IntentDescription? {
    if let query = self as? any EnumerableEntityQuery { return type(of: query).findIntentDescription }
    if let query = self as? any EntityPropertyQuery { return type(of: query).findIntentDescription }
    return nil
  }
}

/// An entity of the app, such as a credit card. The server stores its identifier and title.
public protocol AppEntity: Identifiable, SingleParameterValue where ID: EntityIdentifierConvertible & Sendable {
  /// The representation of the type.
  static var typeDisplayRepresentation: TypeDisplayRepresentation { get }
  /// The representation of the entity. It does not take part in comparison.
  var displayRepresentation: DisplayRepresentation { get }
  /// The type of ``defaultQuery``.
  associatedtype DefaultQuery: EntityQuery where DefaultQuery.Entity == Self
  /// The query that resolves the entities of a widget's configuration.
  static var defaultQuery: DefaultQuery { get }
}

extension AppEntity {
  public static var valueType: IntentValueType { .object }
  public var optionRepresentation: DisplayRepresentation { displayRepresentation }

  /// The text of `findIntentDescription` of an ``EnumerableEntityQuery`` or ``EntityPropertyQuery``; a long one is
  /// shortened, and a blank one omitted.
  public static var findDescription: String {
    let text = defaultQuery.findDescription?.descriptionText.text ?? ""
    return text.isBlank ? "" : text.shortened(to: ActionTexts.textSizeMax)
  }

  public func intentValue() -> IntentValue {
    .object(DisplayIdentity(identifier: id.entityIdentifierString, display: displayRepresentation.title.text))
  }

  public static func resolve(_ value: IntentValue) async throws -> Self? {
    guard case .object(let identity) = value, let id = ID.entityIdentifier(for: identity.identifier) else { return nil }
    return try await defaultQuery.entities(for: [id]).first
  }
}

/// An enumeration that can be the type of a parameter.
public protocol AppEnum: RawRepresentable, Hashable, SingleParameterValue where RawValue == String {
  /// The representation of the type.
  static var typeDisplayRepresentation: TypeDisplayRepresentation { get }
  /// The representation of each case.
  static var caseDisplayRepresentations: [Self: DisplayRepresentation] { get }
}

extension AppEnum {
  public static var valueType: IntentValueType { .enumCase }

  public func intentValue() -> IntentValue { .enumCase(rawValue) }

  /// The titles of ``caseDisplayRepresentations``, which the server shows in place of raw values.
  ///
  /// Blank titles and those of cases with an empty raw value are omitted, long ones shortened, and at most
  /// `EnumCaseTitle.countMax` returned, in order of the raw values.
  public static var caseTitles: [EnumCaseTitle] {
    let titles = caseDisplayRepresentations.map { (name: $0.key.rawValue, title: $0.value.title.text) }
    // A title is optional: the server shows a case without one by its raw value.
    let valid = titles.sorted { $0.name < $1.name }.compactMap {
      try? EnumCaseTitle(name: $0.name, title: $0.title.shortened(to: ActionTexts.textSizeMax))
    }
    return Array(valid.prefix(EnumCaseTitle.countMax))
  }

  public static func resolve(_ value: IntentValue) -> Self? {
    guard case .enumCase(let name) = value else { return nil }
    return Self(rawValue: name)
  }
}
