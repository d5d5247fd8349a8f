/// Asks a provider what an intent's parameter can be set to.
public struct OptionsQuery: Hashable, Sendable {
  /// Options that are asked for at most.
  public static let countMax = 1_000
  /// Options that are asked for where nobody says how many.
  public static let countStandard = 100
  /// Identifiers, or comparisons, of one query, at most.
  public static let selectorCountMax = 256

  /// Which of the options are wanted.
  public enum Selection: Hashable, Sendable {
    /// Those that the provider suggests.
    case suggested
    /// Those that a text finds.
    case matching(String)
    /// Those of these identifiers.
    case identifiers([String])
    /// Those whose properties compare so: all of them, or with `isAny` at least one.
    case comparing([PropertyComparison], isAny: Bool)
  }

  /// The intent, with what it is set to so far: other parameters may depend on that.
  public let intent: Intent
  /// The parameter.
  public let parameter: IntentParameter.Name
  /// Which options are wanted.
  public let selection: Selection
  /// The property that they are to be sorted by, if any, and whether from the greatest down.
  public let sort: PropertySort?
  /// How many are wanted, at most.
  public let count: Int

  /// A query; `count` from 1 to ``countMax``. Refuses more than ``selectorCountMax`` identifiers or comparisons.
  public init(
    intent: Intent, parameter: IntentParameter.Name, _ selection: Selection = .suggested, sort: PropertySort? = nil,
    count: Int = OptionsQuery.countStandard
  ) throws(Refusal) {
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

/// What a property of an entity has to be.
public struct PropertyComparison: Hashable, Sendable {
  /// How it is compared.
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
  /// How it is compared.
  public let comparator: Comparator
  /// With what.
  public let value: IntentValue

  /// A comparison.
  public init(_ property: IntentParameter.Name, _ comparator: Comparator, _ value: IntentValue) {
    self.property = property
    self.comparator = comparator
    self.value = value
  }
}

/// What entities are sorted by.
public struct PropertySort: Hashable, Sendable {
  /// The property's name.
  public let property: IntentParameter.Name
  /// Whether the greatest comes first.
  public let isDescending: Bool

  /// An order.
  public init(by property: IntentParameter.Name, isDescending: Bool = false) {
    self.property = property
    self.isDescending = isDescending
  }
}

/// Something that a parameter can be set to.
public struct ParameterOption: Hashable, Sendable {
  /// The value.
  public let value: IntentValue
  /// What to show for it.
  public let title: String
  /// What to show below; may be empty.
  public let subtitle: String
  /// The title of the section that it belongs to; may be empty. Options of one section follow each other.
  public let section: String

  /// An option.
  public init(_ value: IntentValue, title: String, subtitle: String = "", section: String = "") {
    self.value = value
    self.title = title
    self.subtitle = subtitle
    self.section = section
  }
}

/// What a provider answers about a parameter.
public struct ParameterOptions: Hashable, Sendable {
  /// The options, in the order in which they are to be shown.
  public var options: [ParameterOption]
  /// Whether the options are already those that were asked for. Otherwise they are all that there are, and whoever
  /// hands them on picks those that ``matching(_:)`` gives.
  public var isSelected: Bool
  /// What to set the parameter to where the person chooses nothing.
  public var standard: ParameterValue?

  /// An answer.
  public init(_ options: [ParameterOption], isSelected: Bool = true, standard: ParameterValue? = nil) {
    self.options = options
    self.isSelected = isSelected
    self.standard = standard
  }

  /// The answer to a query from all options that there are: for a text those in whose titles it stands, whatever the
  /// case of its letters, those that begin with it first; as many as are wanted.
  public func matching(_ query: OptionsQuery) -> ParameterOptions {
    var chosen = options
    if !isSelected, case .matching(let text) = query.selection { chosen = Self.found(text, in: options) }
    if !isSelected, case .identifiers(let identifiers) = query.selection {
      let wanted = Set(identifiers)
      chosen = options.filter { wanted.contains($0.value.identifier) }
    }
    return ParameterOptions(Array(chosen.prefix(query.count)), standard: standard)
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
  /// What tells the value from others of its type, as text.
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
