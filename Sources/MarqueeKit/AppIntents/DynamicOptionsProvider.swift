import MarqueeModel

/// Offers values for a parameter, made when somebody asks:
///
/// ```swift
/// @Parameter(title: "Line", optionsProvider: Lines()) var line: String
/// ```
public protocol DynamicOptionsProvider: Sendable {
  /// What ``results()`` gives: an array, or an ``ItemCollection`` with sections.
  associatedtype Result: ResultsCollection

  /// The values to choose from, in their order.
  func results() async throws -> Result

  /// What a parameter is set to where the person chooses nothing; `nil` if not given.
  func defaultResult() async -> Result.Item?
}

extension DynamicOptionsProvider {
  public func defaultResult() async -> Result.Item? { nil }
}

/// Values to choose from.
public protocol ResultsCollection: Sendable {
  /// What they are.
  associatedtype Item: SingleParameterValue
  /// The values, section by section.
  var sections: [ItemSection<Item>] { get }
}

extension Array: ResultsCollection where Element: SingleParameterValue {
  /// One section without a title.
  public var sections: [ItemSection<Element>] { [ItemSection(items: self)] }
}

/// Values to choose from, in sections.
public struct ItemCollection<Item: SingleParameterValue>: ResultsCollection {
  public let sections: [ItemSection<Item>]

  /// Sections.
  public init(sections: [ItemSection<Item>]) { self.sections = sections }

  /// One section without a title.
  public init(items: [Item]) { sections = [ItemSection(items: items)] }
}

/// Values to choose from under one title.
public struct ItemSection<Item: SingleParameterValue>: Sendable {
  /// What stands above; empty for nothing.
  public let title: LocalizedStringResource
  /// The values.
  public let items: [Item]

  /// A section.
  public init(_ title: LocalizedStringResource = "", items: [Item]) {
    self.title = title
    self.items = items
  }
}

extension ParameterOptions {
  init<Results: ResultsCollection>(
    _ results: Results, isSelected: Bool, standard: Results.Item? = nil
  ) throws {
    let options = try results.sections.flatMap { section in
      try section.items.map { try ParameterOption($0, in: section.title) }
    }
    self.init(options, isSelected: isSelected, standard: try standard?.parameterValue())
  }
}

extension ParameterOption {
  fileprivate init(_ item: some SingleParameterValue, in section: LocalizedStringResource) throws {
    let shown = item.optionRepresentation
    self.init(
      try item.intentValue(), title: shown.title.key, subtitle: shown.subtitle?.key ?? "", section: section.key)
  }
}
