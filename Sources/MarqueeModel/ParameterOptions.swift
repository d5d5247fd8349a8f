/// A query to a provider for the options of an intent's parameter.
public struct OptionsQuery: Hashable, Sendable {
  /// The maximum of ``count``.
  public static let countMax = 1_000
  /// The default of ``count``.
  public static let countDefault = 100
  /// The maximum number of identifiers, or of comparisons, in a query.
  public static let selectorCountMax = 256

  /// A selection of options.
  public enum Selection: Hashable, Sendable {
    /// The options that the provider suggests.
    case suggested
    /// The options that match a search string.
    case matching(String)
    /// The options with these identifiers.
    case identifiers([String])
    /// The options whose properties satisfy all comparisons or, if `isAny`, at least one.
    case comparing([PropertyComparison], isAny: Bool)
  }

  /// The intent with the values set so far, on which the options can depend.
  public let intent: Intent
  /// The parameter.
  public let parameter: IntentParameter.Name
  /// The requested options.
  public let selection: Selection
  /// The requested sort order, if any.
  public let sort: PropertySort?
  /// The maximum number of options to return.
  public let count: Int

  /// Creates a query.
  ///
  /// - Throws: ``RequestError`` if there are more than ``selectorCountMax`` identifiers or comparisons.
  /// - Precondition: `count` is in `1 ... countMax`.
  public init(
    intent: Intent, parameter: IntentParameter.Name, _ selection: Selection = .suggested, sort: PropertySort? = nil,
    count: Int = OptionsQuery.countDefault
  ) throws(RequestError) {
    precondition((1...Self.countMax).contains(count), "\(count) options")
    let (field, selectorCount) =
      switch selection {
      case .suggested, .matching: ("", 0)
      case .identifiers(let identifiers): ("identifiers", identifiers.count)
      case .comparing(let comparisons, _): ("comparisons", comparisons.count)
      }
    guard selectorCount <= Self.selectorCountMax else {
      throw .over(limit: "selector-count-max", maximum: Self.selectorCountMax, count: selectorCount, field: field)
    }
    self.intent = intent
    self.parameter = parameter
    self.selection = selection
    self.sort = sort
    self.count = count
  }
}

/// A comparison of an entity's property with a value.
public struct PropertyComparison: Hashable, Sendable {
  /// The comparison operator.
  public enum Comparator: UInt8, CaseIterable, Sendable {
    case equalTo = 1
    case notEqualTo
    case lessThan
    case lessThanOrEqualTo
    case greaterThan
    case greaterThanOrEqualTo
    case contains
    case hasPrefix
    case hasSuffix
  }

  /// The property's name in its entity.
  public let property: IntentParameter.Name
  /// The comparison operator.
  public let comparator: Comparator
  /// The value to compare with.
  public let value: IntentValue

  /// Creates a comparison.
  public init(_ property: IntentParameter.Name, _ comparator: Comparator, _ value: IntentValue) {
    self.property = property
    self.comparator = comparator
    self.value = value
  }
}

/// A sort order of entities.
public struct PropertySort: Hashable, Sendable {
  /// The property's name.
  public let property: IntentParameter.Name
  /// Whether the order is descending.
  public let isDescending: Bool

  /// Creates a sort order.
  public init(by property: IntentParameter.Name, isDescending: Bool = false) {
    self.property = property
    self.isDescending = isDescending
  }
}

/// An option: a value that a parameter can have.
public struct ParameterOption: Hashable, Sendable {
  /// The value.
  public let value: IntentValue
  /// The title to show.
  public let title: String
  /// The subtitle to show; may be empty.
  public let subtitle: String
  /// The title of the option's section; may be empty. Options of a section are contiguous.
  public let section: String

  /// Creates an option.
  public init(_ value: IntentValue, title: String, subtitle: String = "", section: String = "") {
    self.value = value
    self.title = title
    self.subtitle = subtitle
    self.section = section
  }
}

/// A provider's response to an ``OptionsQuery``.
public struct ParameterOptions: Hashable, Sendable {
  /// The options, in display order.
  public var options: [ParameterOption]
  /// Whether the provider has already applied the query's selection. If `false`, these are all options, and
  /// ``matching(_:)`` applies the selection.
  public var isSelected: Bool
  /// The value to use if the user chooses none.
  public var defaultValue: ParameterValue?

  /// Creates a response.
  public init(_ options: [ParameterOption], isSelected: Bool = true, defaultValue: ParameterValue? = nil) {
    self.options = options
    self.isSelected = isSelected
    self.defaultValue = defaultValue
  }

  /// Returns the options that match a query, at most `query.count`.
  ///
  /// A text query matches options whose title contains the text, ignoring case; options whose title starts with it come
  /// first. If the provider has already applied the selection, only the count is limited.
  public func matching(_ query: OptionsQuery) -> ParameterOptions {
    var chosen = options
    if !isSelected, case .matching(let text) = query.selection { chosen = Self.found(text, in: options) }
    if !isSelected, case .identifiers(let identifiers) = query.selection {
      let wanted = Set(identifiers)
      chosen = options.filter { wanted.contains($0.value.identifier) }
    }
    return ParameterOptions(Array(chosen.prefix(query.count)), defaultValue: defaultValue)
  }

  private static func found(_ text: String, in options: [ParameterOption]) -> [ParameterOption] {
    let wanted = text.lowercased()
    guard !wanted.isEmpty else { return options }
    let (first, later) = options.reduce(into: ([ParameterOption](), [ParameterOption]())) { found, option in
      let title = option.title.lowercased()
      if title.hasPrefix(wanted) { found.0.append(option) } else if title.contains(wanted) { found.1.append(option) }
    }
    return first + later
  }
}

extension IntentValue {
  /// The identity of the value among values of its type, as a string.
  public var identifier: String {
    switch self {
    case .string(let text), .enumCase(let text): text
    case .integer(let number): String(number)
    case .double(let number): "\(number)"
    case .boolean(let flag): "\(flag)"
    case .date(let date): "\(date.milliseconds)"
    case .object(let identity), .person(let identity): identity.identifier
    case .place(let place): "\(place.latitude),\(place.longitude)"
    }
  }
}
