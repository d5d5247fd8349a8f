import MarqueeModel

/// A provider of a parameter's options, computed on request:
///
/// ```swift
/// @Parameter(title: "Line", optionsProvider: Lines()) var line: String
/// ```
public protocol DynamicOptionsProvider: Sendable {
  /// The result of ``results()``: an array, or an ``ItemCollection`` with sections.
  associatedtype Result: ResultsCollection

  /// Returns the options, in display order.
  func results() async throws -> Result

  /// Returns the default value of the parameter. Defaults to `nil`.
  func defaultResult() async -> Result.Item?
}

extension DynamicOptionsProvider {
  public func defaultResult() async -> Result.Item? { nil }
}

/// A collection of options.
public protocol ResultsCollection: Sendable {
  /// The type of the options.
  associatedtype Item: SingleParameterValue
  /// The sections of options.
  var sections: [ItemSection<Item>] { get }
}

extension Array: ResultsCollection where Element: SingleParameterValue {
  /// One section without a title.
  public var sections: [ItemSection<Element>] { [ItemSection(items: self)] }
}

/// Options in sections.
public struct ItemCollection<Item: SingleParameterValue>: ResultsCollection {
  public let sections: [ItemSection<Item>]

  /// Creates a collection of sections.
  public init(sections: [ItemSection<Item>]) { self.sections = sections }

  /// One section without a title.
  public init(items: [Item]) { sections = [ItemSection(items: items)] }
}

/// A section of options.
public struct ItemSection<Item: SingleParameterValue>: Sendable {
  /// The title of the section; empty for none.
  public let title: LocalizedStringResource
  /// The options of the section.
  public let items: [Item]

  /// Creates a section.
  public init(_ title: LocalizedStringResource = "", items: [Item]) {
    self.title = title
    self.items = items
  }
}

extension ParameterOptions {
  init<Results: ResultsCollection>(
    _ results: Results, isSelected: Bool, defaultValue: Results.Item? = nil
  ) throws {
    let options = try results.sections.flatMap { section in
      try section.items.map { try ParameterOption($0, in: section.title) }
    }
    self.init(options, isSelected: isSelected, defaultValue: try defaultValue?.parameterValue())
  }
}

extension ParameterOption {
  fileprivate init(_ item: some SingleParameterValue, in section: LocalizedStringResource) throws {
    let shown = item.optionRepresentation
    self.init(
      try item.intentValue(), title: shown.title.text, subtitle: shown.subtitle?.text ?? "", section: section.text)
  }
}
