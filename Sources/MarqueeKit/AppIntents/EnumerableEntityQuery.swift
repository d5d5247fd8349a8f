import MarqueeModel

/// A query for a set of entities small enough to be listed:
///
/// ```swift
/// struct LineQuery: EnumerableEntityQuery {
///   func entities(for identifiers: [Line.ID]) async throws -> [Line] { all.filter { identifiers.contains($0.id) } }
///   func allEntities() async throws -> [Line] { all }
/// }
/// ```
///
/// The server filters the entities by title for a search text. Displays also find and sort them by their properties,
/// declared `@Property`. An ``EntityPropertyQuery`` finds entities without listing all of them.
public protocol EnumerableEntityQuery: EntityQuery {
  /// Returns all entities.
  func allEntities() async throws -> [Entity]
  /// The description of the find action, which `marquee actions` lists with the parameter. Defaults to `nil`.
  static var findIntentDescription: IntentDescription? { get }
}

extension EnumerableEntityQuery where Suggestions == [Entity] {
  public func suggestedEntities() async throws -> [Entity] { try await allEntities() }
}

extension EntityQuery {
  public static var findIntentDescription: IntentDescription? { nil }
}

extension EnumerableEntityQuery {
  /// Returns the entities whose properties match a display's query, sorted, at most `count`.
  ///
  /// Entities without a value of the property to sort by are last; those with equal values keep their order.
  ///
  /// - Throws: `RequestError` for a property that the entity does not have, or a comparison that it does not support.
  func entities(
    comparing comparisons: [PropertyComparison], isAny: Bool, sort: PropertySort?, count: Int
  ) async throws -> [Entity] {
    let all = try await allEntities()
    // The names and types of properties are determined from an entity; without one there is no match.
    guard let example = all.first else { return [] }
    let checked = try comparisons.enumerated().map { index, comparison in
      try comparison.checked(for: example, field: "comparisons[\(index)]")
    }
    if let sort {
      let type = try example.propertyType(of: sort.property, field: "sort.property")
      guard type.isOrdered else { throw sort.unsupported(by: Entity.self, type) }
    }
    let found = try all.filter { entity in
      func isSatisfied(_ comparison: PropertyComparison) throws -> Bool {
        try comparison.isSatisfied(by: entity.propertyValue(of: comparison.property))
      }
      return try isAny ? checked.contains(where: isSatisfied) : checked.allSatisfy(isSatisfied)
    }
    let sorted = try sort.map { try Self.sorted(found, by: $0) } ?? found
    return Array(sorted.prefix(count))
  }

  private static func sorted(_ entities: [Entity], by sort: PropertySort) throws -> [Entity] {
    let keyed = try entities.map { (entity: $0, key: try $0.propertyValue(of: sort.property)) }
    let sorted = keyed.sorted { left, right in
      guard let first = left.key, let second = right.key else { return left.key != nil && right.key == nil }
      return sort.isDescending ? second.precedes(first) : first.precedes(second)
    }
    return sorted.map(\.entity)
  }
}
