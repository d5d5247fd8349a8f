public import Foundation
public import MarqueeModel

/// What can tell an entity from others, as text.
public protocol EntityIdentifierConvertible {
  /// The identifier as text.
  var entityIdentifierString: String { get }
  /// The identifier that is so as text, or `nil`.
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

/// Finds an app's entities.
public protocol EntityQuery: Sendable {
  /// What it finds.
  associatedtype Entity: AppEntity
  /// What ``suggestedEntities()`` gives: an array, or an ``ItemCollection`` with sections.
  associatedtype Suggestions: ResultsCollection = [Entity] where Suggestions.Item == Entity

  /// A query.
  init()

  /// The entities of these identifiers, in any order; those that are no more are left out.
  func entities(for identifiers: [Entity.ID]) async throws -> [Entity]

  /// The entities to choose from where nobody looks for one; none if not given, and all of an
  /// ``EnumerableEntityQuery``.
  func suggestedEntities() async throws -> Suggestions

  /// What a parameter is set to where the person chooses nothing; `nil` if not given.
  func defaultResult() async -> Entity?
}

extension EntityQuery where Suggestions == [Entity] {
  public func suggestedEntities() async throws -> [Entity] { [] }
}

extension EntityQuery {
  public func defaultResult() async -> Entity? { nil }
}

/// A thing of the app's, such as a credit card. The server gets its identifier and the title to show for it.
public protocol AppEntity: Identifiable, SingleParameterValue where ID: EntityIdentifierConvertible & Sendable {
  /// How the type is shown.
  static var typeDisplayRepresentation: TypeDisplayRepresentation { get }
  /// How it is shown; never compared.
  var displayRepresentation: DisplayRepresentation { get }
  /// What finds entities of the type.
  associatedtype DefaultQuery: EntityQuery where DefaultQuery.Entity == Self
  /// What finds the entity of a widget's configuration.
  static var defaultQuery: DefaultQuery { get }
}

extension AppEntity {
  public static var valueType: IntentValueType { .object }
  public var optionRepresentation: DisplayRepresentation { displayRepresentation }

  public func intentValue() -> IntentValue {
    .object(DisplayIdentity(identifier: id.entityIdentifierString, display: displayRepresentation.title.key))
  }

  public static func resolve(_ value: IntentValue) async throws -> Self? {
    guard case .object(let identity) = value, let id = ID.entityIdentifier(for: identity.identifier) else { return nil }
    return try await defaultQuery.entities(for: [id]).first
  }
}

/// An enumeration whose cases a parameter can be.
public protocol AppEnum: RawRepresentable, Hashable, SingleParameterValue where RawValue == String {
  /// How the type is shown.
  static var typeDisplayRepresentation: TypeDisplayRepresentation { get }
  /// How each case is shown.
  static var caseDisplayRepresentations: [Self: DisplayRepresentation] { get }
}

extension AppEnum {
  public static var valueType: IntentValueType { .enumCase }

  public func intentValue() -> IntentValue { .enumCase(rawValue) }

  public static func resolve(_ value: IntentValue) -> Self? {
    guard case .enumCase(let name) = value else { return nil }
    return Self(rawValue: name)
  }
}
