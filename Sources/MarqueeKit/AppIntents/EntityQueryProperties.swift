import MarqueeModel

/// The properties of an entity that a query can filter by.
public struct EntityQueryProperties<Entity: AppEntity, Mapping: Sendable>: @unchecked Sendable {
  // Safe: the key paths and closures are immutable and only read.
  fileprivate let all: [AnyEntityQueryProperty<Entity, Mapping>]

  /// Creates a list of properties.
  public init(
    @EntityQueryListBuilder<AnyEntityQueryProperty<Entity, Mapping>>
    _ properties: () -> [AnyEntityQueryProperty<Entity, Mapping>]
  ) {
    all = properties()
  }
}

/// The properties that a query can sort by.
public struct EntityQuerySortingOptions<Entity: AppEntity>: @unchecked Sendable {
  // Safe: the key paths are immutable and only read.
  fileprivate let all: [PartialKeyPath<Entity>]

  /// Creates a list of properties.
  public init(@EntityQueryListBuilder<PartialKeyPath<Entity>> _ properties: () -> [PartialKeyPath<Entity>]) {
    all = properties()
  }
}

/// An element of a list of properties or comparators.
public protocol EntityQueryListItem<Item> {
  /// The type of the list's elements.
  associatedtype Item
  var item: Item { get }
}

/// A result builder for lists of properties or comparators.
@resultBuilder
public enum EntityQueryListBuilder<Element> {
  public static func buildExpression(_ item: some EntityQueryListItem<Element>) -> Element { item.item }
  public static func buildBlock(_ items: Element...) -> [Element] { items }
}

/// A property to sort by.
public struct EntityQuerySortableByProperty<Entity: AppEntity>: EntityQueryListItem {
  public let item: PartialKeyPath<Entity>

  /// Creates the entry of a property, such as `\Line.$name`.
  public init<Value>(_ path: KeyPath<Entity, EntityProperty<Value>>) { item = path }
}

/// A type-erased property with its comparators.
public struct AnyEntityQueryProperty<Entity: AppEntity, Mapping: Sendable> {
  fileprivate let path: PartialKeyPath<Entity>
  fileprivate let comparators: [PropertyComparison.Comparator]
  fileprivate let mapping: (PropertyComparison) async throws -> Mapping?
}

/// A property with its comparators.
public struct EntityQueryProperty<Entity: AppEntity, Value: SingleParameterValue, Mapping: Sendable>:
  EntityQueryListItem
{
  public let item: AnyEntityQueryProperty<Entity, Mapping>

  /// Creates the entry of a property, such as `\Line.$name`.
  public init(
    _ path: KeyPath<Entity, EntityProperty<Value>>,
    @EntityQueryListBuilder<EntityQueryComparator<Value, Mapping>>
    _ comparators: () -> [EntityQueryComparator<Value, Mapping>]
  ) {
    let comparators = comparators()
    item = AnyEntityQueryProperty(path: path, comparators: comparators.map(\.comparator)) { comparison in
      guard let comparator = comparators.first(where: { $0.comparator == comparison.comparator }) else { return nil }
      return try await Value.resolve(comparison.value).map(comparator.mapping)
    }
  }
}

extension EntityPropertyQuery {
  /// Returns the entities that match a display's query.
  ///
  /// - Throws: `RequestError` for a property or comparator that the query does not declare, or a value of another type.
  func entities(
    comparing comparisons: [PropertyComparison], isAny: Bool, sort: PropertySort?, count: Int
  ) async throws -> [Entity] {
    // The names of properties are determined from an entity; without one there is no match.
    guard let example = try await suggestedEntities().sections.lazy.flatMap(\.items).first else { return [] }
    var comparators: [ComparatorMappingType] = []
    for (index, comparison) in comparisons.enumerated() {
      let field = "comparisons[\(index)]"
      let property = Self.properties.all.first { example.name(of: $0.path) == comparison.property.text }
      let checked = try comparison.checked(for: example, property?.comparators ?? [], field: field)
      guard let mapped = try await property?.mapping(checked) else {
        throw RequestError(.invalidArgument, field: field, "\(Entity.self).\(comparison.property) has no such value")
      }
      comparators.append(mapped)
    }
    let orders = try sort.map { sort in
      guard let path = Self.sortingOptions.all.first(where: { example.name(of: $0) == sort.property.text }) else {
        throw sort.unsupported(by: Entity.self, try example.propertyType(of: sort.property, field: "sort.property"))
      }
      return [EntityQuerySort(by: path, order: sort.isDescending ? .descending : .ascending)]
    }
    return try await entities(
      matching: comparators, mode: isAny ? .or : .and, sortedBy: orders ?? [], limit: count)
  }
}
