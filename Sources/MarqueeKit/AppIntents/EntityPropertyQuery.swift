import MarqueeModel

/// Finds entities by their properties:
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
/// A property is known by its name in the entity, which is found from the entities that the query suggests.
public protocol EntityPropertyQuery: EntityQuery {
  /// What a comparison becomes for ``entities(matching:mode:sortedBy:limit:)``.
  associatedtype ComparatorMappingType: Sendable
  typealias QueryProperties = EntityQueryProperties<Entity, ComparatorMappingType>
  typealias SortingOptions = EntityQuerySortingOptions<Entity>
  typealias Property<Value: SingleParameterValue> = EntityQueryProperty<Entity, Value, ComparatorMappingType>
  typealias SortableBy = EntityQuerySortableByProperty<Entity>
  typealias Sort = EntityQuerySort
  typealias ComparatorMode = EntityQueryComparatorMode

  /// The properties that can be compared, and how.
  static var properties: QueryProperties { get }
  /// The properties to sort by.
  static var sortingOptions: SortingOptions { get }

  /// The entities whose properties compare so, sorted, as many as `limit` says.
  func entities(
    matching comparators: [ComparatorMappingType], mode: ComparatorMode, sortedBy: [Sort<Entity>], limit: Int?
  ) async throws -> [Entity]
}

/// Whether all comparisons have to hold, or one.
public enum EntityQueryComparatorMode: Sendable {
  case and
  case or
}

/// What entities are sorted by.
public struct EntityQuerySort<Entity: AppEntity>: @unchecked Sendable {
  /// Which comes first.
  public enum Ordering: Sendable {
    case ascending
    case descending
  }

  // A key path to a stored wrapper is only ever read.
  /// The property, such as `\Line.$name`.
  public let by: PartialKeyPath<Entity>
  /// Which comes first.
  public let order: Ordering
}
