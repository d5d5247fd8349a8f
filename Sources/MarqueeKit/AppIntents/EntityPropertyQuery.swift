import MarqueeModel

/// A query that finds and sorts entities by their properties itself:
///
/// ```swift
/// struct LineQuery: EntityPropertyQuery {
///   static let properties = QueryProperties {
///     Property(\Line.$name) {
///       EqualToComparator { name in { $0.name == name } }
///       ContainsComparator { name in { $0.name.contains(name) } }
///     }
///   }
///   static let sortingOptions = SortingOptions { SortableBy(\Line.$name) }
///
///   func entities(
///     matching comparators: [@Sendable (Line) -> Bool], mode: ComparatorMode, sortedBy: [Sort<Line>], limit: Int?
///   ) async throws -> [Line] { … }
/// }
/// ```
///
/// The names and types of the properties are determined from an entity that the query suggests.
public protocol EntityPropertyQuery: EntityQuery {
  /// The type to which comparators map, passed to ``entities(matching:mode:sortedBy:limit:)``.
  associatedtype ComparatorMappingType: Sendable
  typealias QueryProperties = EntityQueryProperties<Entity, ComparatorMappingType>
  typealias SortingOptions = EntityQuerySortingOptions<Entity>
  typealias Property<Value: SingleParameterValue> = EntityQueryProperty<Entity, Value, ComparatorMappingType>
  typealias SortableBy = EntityQuerySortableByProperty<Entity>
  typealias Sort = EntityQuerySort
  typealias ComparatorMode = EntityQueryComparatorMode

  /// The properties to filter by, with their comparators.
  static var properties: QueryProperties { get }
  /// The properties to sort by.
  static var sortingOptions: SortingOptions { get }
  /// The description of the find action, which `marquee actions` lists with the parameter. Defaults to `nil`.
  static var findIntentDescription: IntentDescription? { get }

  /// Returns the entities that match the comparators, sorted, at most `limit`.
  func entities(
    matching comparators: [ComparatorMappingType], mode: ComparatorMode, sortedBy: [Sort<Entity>], limit: Int?
  ) async throws -> [Entity]
}

/// Whether all comparators or at least one must match.
public enum EntityQueryComparatorMode: Sendable {
  case and
  case or
}

/// A property and an order to sort by.
public struct EntityQuerySort<Entity: AppEntity>: @unchecked Sendable {
  /// The sort order.
  public enum Ordering: Sendable {
    case ascending
    case descending
  }

  // Safe: a key path to a stored wrapper is only read.
  /// The property, such as `\Line.$name`.
  public let by: PartialKeyPath<Entity>
  /// The sort order.
  public let order: Ordering
}
