import MarqueeModel

/// A query for entities by a search text.
public protocol EntityStringQuery: EntityQuery {
  /// Returns the entities that match a text, best match first.
  func entities(matching string: String) async throws -> [Entity]
}

extension AppEntity {
  public static var hasOptions: Bool { true }
  public static func optionsDependencies(in intent: any Sendable) -> [String] {
    dependencies(of: defaultQuery, in: intent)
  }

  public static func options(_ query: OptionsQuery) async throws -> ParameterOptions? {
    let finder = defaultQuery
    switch query.selection {
    case .suggested:
      return try ParameterOptions(
        await finder.suggestedEntities(), isSelected: true, defaultValue: await finder.defaultResult())
    case .matching(let text):
      if let finder = finder as? any EntityStringQuery { return try await matching(text, finder) }
      if let finder = finder as? any EnumerableEntityQuery { return try await everything(finder) }
      return try ParameterOptions(await finder.suggestedEntities(), isSelected: false)
    case .identifiers(let names):
      let identifiers = names.compactMap { ID.entityIdentifier(for: $0) }
      return try ParameterOptions(await finder.entities(for: identifiers), isSelected: true)
    case .comparing(let comparisons, let isAny):
      if let finder = finder as? any EntityPropertyQuery {
        return try await comparing(comparisons, isAny: isAny, query, finder)
      }
      if let finder = finder as? any EnumerableEntityQuery {
        return try await comparing(comparisons, isAny: isAny, query, finder)
      }
      throw RequestError(.failedPrecondition, field: "comparisons", "\(Self.self) has no query by property")
    }
  }

  private static func matching(_ text: String, _ finder: some EntityStringQuery) async throws -> ParameterOptions {
    try ParameterOptions(await finder.entities(matching: text), isSelected: true)
  }

  private static func everything(_ finder: some EnumerableEntityQuery) async throws -> ParameterOptions {
    try ParameterOptions(await finder.allEntities(), isSelected: false)
  }

  private static func comparing(
    _ comparisons: [PropertyComparison], isAny: Bool, _ query: OptionsQuery, _ finder: some EntityPropertyQuery
  ) async throws -> ParameterOptions {
    let found = try await finder.entities(comparing: comparisons, isAny: isAny, sort: query.sort, count: query.count)
    return try ParameterOptions(found, isSelected: true)
  }

  private static func comparing(
    _ comparisons: [PropertyComparison], isAny: Bool, _ query: OptionsQuery, _ finder: some EnumerableEntityQuery
  ) async throws -> ParameterOptions {
    let found = try await finder.entities(comparing: comparisons, isAny: isAny, sort: query.sort, count: query.count)
    return try ParameterOptions(found, isSelected: true)
  }
}

extension AppEnum {
  public static var hasOptions: Bool { true }
  public var optionRepresentation: DisplayRepresentation {
    Self.caseDisplayRepresentations[self] ?? DisplayRepresentation(title: LocalizedStringResource(verbatim: rawValue))
  }

  /// Returns the cases with a representation, in declaration order for a `CaseIterable`, otherwise by name.
  public static func options(_ query: OptionsQuery) async throws -> ParameterOptions? {
    let listed = (Self.self as? any CaseIterable.Type)?.everyCase.compactMap { $0 as? Self } ?? []
    let shown = Set(caseDisplayRepresentations.keys)
    let cases = listed.isEmpty ? shown.sorted { $0.rawValue < $1.rawValue } : listed.filter(shown.contains)
    return try ParameterOptions(cases, isSelected: query.selection == .suggested)
  }
}

extension CaseIterable {
  fileprivate static var everyCase: [Any] { allCases.map { $0 } }
}
