import MarqueeModel

/// The properties of an entity that a query compares.
public struct EntityQueryProperties<Entity: AppEntity, Mapping: Sendable>: @unchecked Sendable {
  // The key paths and closures within are made once, and then only read.
  fileprivate let all: [AnyEntityQueryProperty<Entity, Mapping>]

  /// Properties.
  public init(
    @EntityQueryListBuilder<AnyEntityQueryProperty<Entity, Mapping>>
    _ properties: () -> [AnyEntityQueryProperty<Entity, Mapping>]
  ) {
    all = properties()
  }
}

/// The properties that a query can sort by.
public struct EntityQuerySortingOptions<Entity: AppEntity>: @unchecked Sendable {
  // The key paths within are made once, and then only read.
  fileprivate let all: [PartialKeyPath<Entity>]

  /// Properties.
  public init(@EntityQueryListBuilder<PartialKeyPath<Entity>> _ properties: () -> [PartialKeyPath<Entity>]) {
    all = properties()
  }
}

/// Something to put into a list of properties or comparators.
public protocol EntityQueryListItem<Item> {
  /// What stands in the list.
  associatedtype Item
  var item: Item { get }
}

/// Puts properties, or comparators, together.
@resultBuilder
public enum EntityQueryListBuilder<Element> {
  public static func buildExpression(_ item: some EntityQueryListItem<Element>) -> Element { item.item }
  public static func buildBlock(_ items: Element...) -> [Element] { items }
}

/// A property to sort by.
public struct EntityQuerySortableByProperty<Entity: AppEntity>: EntityQueryListItem {
  public let item: PartialKeyPath<Entity>

  /// The property that the path, such as `\Line.$name`, leads to.
  public init<Value>(_ path: KeyPath<Entity, EntityProperty<Value>>) { item = path }
}

/// A property with its comparators, whatever its type.
public struct AnyEntityQueryProperty<Entity: AppEntity, Mapping: Sendable> {
  fileprivate let path: PartialKeyPath<Entity>
  fileprivate let mapping: (PropertyComparison) async throws -> Mapping?
}

/// A property, and how it can be compared.
public struct EntityQueryProperty<Entity: AppEntity, Value: SingleParameterValue, Mapping: Sendable>:
  EntityQueryListItem
{
  public let item: AnyEntityQueryProperty<Entity, Mapping>

  /// The property that the path, such as `\Line.$name`, leads to.
  public init(
    _ path: KeyPath<Entity, EntityProperty<Value>>,
    @EntityQueryListBuilder<EntityQueryComparator<Value, Mapping>>
    _ comparators: () -> [EntityQueryComparator<Value, Mapping>]
  ) {
    let comparators = comparators()
    item = AnyEntityQueryProperty(path: path) { comparison in
      guard let comparator = comparators.first(where: { $0.comparator == comparison.comparator }) else { return nil }
      return try await Value.resolve(comparison.value).map(comparator.mapping)
    }
  }
}

extension EntityPropertyQuery {
  /// The entities that a display asks for. Refuses properties and comparators that the query does not name.
  func entities(
    comparing comparisons: [PropertyComparison], isAny: Bool, sort: PropertySort?, count: Int
  ) async throws -> [Entity] {
    // Properties have names where there is an entity; where there is none, nothing is found.
    guard let example = try await suggestedEntities().sections.lazy.flatMap(\.items).first else { return [] }
    var comparators: [ComparatorMappingType] = []
    for (index, comparison) in comparisons.enumerated() {
      let property = Self.properties.all.first { example.name(of: $0.path) == comparison.property.text }
      guard let mapped = try await property?.mapping(comparison) else {
        throw Refusal(
          .invalidArgument, field: "comparisons[\(index)]",
          "\(Entity.self) is not compared so by \(comparison.property)")
      }
      comparators.append(mapped)
    }
    let orders = try sort.map { sort in
      guard let path = Self.sortingOptions.all.first(where: { example.name(of: $0) == sort.property.text }) else {
        throw Refusal(.invalidArgument, field: "sort.property", "\(Entity.self) is not sorted by \(sort.property)")
      }
      return [EntityQuerySort(by: path, order: sort.isDescending ? .descending : .ascending)]
    }
    return try await entities(
      matching: comparators, mode: isAny ? .or : .and, sortedBy: orders ?? [], limit: count)
  }
}
