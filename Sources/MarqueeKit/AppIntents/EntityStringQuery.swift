import MarqueeModel

/// Finds entities by what the person has typed.
public protocol EntityStringQuery: EntityQuery {
  /// The entities that a text finds, the best first.
  func entities(matching string: String) async throws -> [Entity]
}

/// Knows so few entities that all of them can be listed. For a text, the server picks those in whose titles it stands.
public protocol EnumerableEntityQuery: EntityQuery {
  /// All entities.
  func allEntities() async throws -> [Entity]
}

extension EnumerableEntityQuery where Suggestions == [Entity] {
  public func suggestedEntities() async throws -> [Entity] { try await allEntities() }
}

extension AppEntity {
  public static var hasOptions: Bool { true }
  public static var optionsDependencies: [String] { dependencies(of: defaultQuery) }

  public static func options(_ query: OptionsQuery) async throws -> ParameterOptions? {
    let finder = defaultQuery
    switch query.selection {
    case .suggested:
      return try ParameterOptions(
        await finder.suggestedEntities(), isSelected: true, standard: await finder.defaultResult())
    case .matching(let text):
      if let finder = finder as? any EntityStringQuery { return try await matching(text, finder) }
      if let finder = finder as? any EnumerableEntityQuery { return try await everything(finder) }
      return try ParameterOptions(await finder.suggestedEntities(), isSelected: false)
    case .identifiers(let names):
      let identifiers = names.compactMap { ID.entityIdentifier(for: $0) }
      return try ParameterOptions(await finder.entities(for: identifiers), isSelected: true)
    case .comparing(let comparisons, let isAny):
      guard let finder = finder as? any EntityPropertyQuery else {
        throw Refusal(.failedPrecondition, field: "comparisons", "\(Self.self) has no query by property")
      }
      return try await comparing(comparisons, isAny: isAny, query, finder)
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
}

extension AppEnum {
  public static var hasOptions: Bool { true }
  public var optionRepresentation: DisplayRepresentation {
    Self.caseDisplayRepresentations[self] ?? DisplayRepresentation(title: LocalizedStringResource(rawValue))
  }

  /// The cases that can be shown, in the order of the enumeration where it has one, else of their names.
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
