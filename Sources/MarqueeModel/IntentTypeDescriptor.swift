/// An app's description of an intent type: its parameters and their supported combinations (rules D2, D3).
public struct IntentTypeDescriptor: Hashable, Sendable {
  /// The maximum number of supported combinations of a type.
  public static let combinationCountMax = 16

  /// A parameter of the type.
  public struct Parameter: Hashable, Sendable {
    /// The parameter's name, unique in its type.
    public let name: IntentParameter.Name
    /// The type of its values.
    public let type: IntentValueType
    /// Whether its value is an array.
    public let isArray: Bool
    /// The titles of the cases of an enumeration; a case without one is shown by its name.
    public let caseTitles: [EnumCaseTitle]
    /// The description, for the user, of the action that finds values by their properties; empty if there is none.
    public let findDescription: String

    /// Creates a parameter.
    public init(
      name: IntentParameter.Name, type: IntentValueType, isArray: Bool = false, caseTitles: [EnumCaseTitle] = [],
      findDescription: String = ""
    ) {
      self.name = name
      self.type = type
      self.isArray = isArray
      self.caseTitles = caseTitles
      self.findDescription = findDescription
    }
  }

  /// A set of parameters that form a complete intent if all of them are set.
  public struct Combination: Hashable, Sendable {
    /// The distinct parameter names, sorted.
    public let parameters: [IntentParameter.Name]
    /// Whether the app can perform such an intent in the background.
    public let isBackground: Bool
    /// The texts that represent such an intent (rule X1).
    public let texts: ActionTexts

    /// Creates a combination of parameters in any order.
    public init(parameters: [IntentParameter.Name], isBackground: Bool = false, texts: ActionTexts = .none) {
      self.parameters = Set(parameters).sorted()
      self.isBackground = isBackground
      self.texts = texts
    }
  }

  /// The app that declares the type.
  public let app: AppID
  /// The intent type.
  public let type: IntentType
  /// Its parameters, ordered by name.
  public let parameters: [Parameter]
  /// The supported combinations, in the declared order.
  public let combinations: [Combination]
  /// Whether intents of the type may configure widgets.
  public let isEligibleForWidgets: Bool
  /// Whether intents of the type may be suggested.
  public let isEligibleForSuggestions: Bool
  /// Whether the type is shown in galleries.
  public let isDiscoverable: Bool
  /// Whether intents of the type are Focus filters (rule S11).
  public let isFocusFilter: Bool
  /// The title to show in the app's language; may be empty (rule X1).
  public let title: String
  /// The description of the action for the user; may be empty.
  public let descriptionText: String

  /// Creates a description.
  ///
  /// - Parameters:
  ///   - title: The title to show; may be empty.
  ///   - descriptionText: The description of the action for the user; may be empty.
  /// - Throws: ``RequestError`` if a count exceeds its limit, a parameter name or a combination is duplicated, a
  ///   combination contains or a format refers to an undeclared parameter, or a text is too long.
  public init(
    app: AppID, type: IntentType, parameters: [Parameter], combinations: [Combination],
    isEligibleForWidgets: Bool = true, isEligibleForSuggestions: Bool = true, isDiscoverable: Bool = true,
    isFocusFilter: Bool = false, title: String = "", descriptionText: String = ""
  ) throws(RequestError) {
    try Self.check(parameters, combinations)
    try Self.checkTexts(parameters, combinations)
    try ActionTexts.check(title, "title")
    try ActionTexts.check(descriptionText, "description")
    self.app = app
    self.type = type
    self.parameters = parameters.sorted { $0.name < $1.name }
    self.combinations = combinations
    self.isEligibleForWidgets = isEligibleForWidgets
    self.isEligibleForSuggestions = isEligibleForSuggestions
    self.isDiscoverable = isDiscoverable
    self.isFocusFilter = isFocusFilter
    self.title = title
    self.descriptionText = descriptionText
  }

  private static func checkTexts(
    _ parameters: [Parameter], _ combinations: [Combination]
  ) throws(RequestError) {
    for (index, parameter) in parameters.enumerated() {
      try ActionTexts.check(parameter.findDescription, "parameters[\(index)].find_description")
      guard !parameter.caseTitles.isEmpty else { continue }
      let (field, count) = ("parameters[\(index)].cases", parameter.caseTitles.count)
      guard parameter.type == .enumCase else {
        throw RequestError(.invalidArgument, field: field, "only an enum case parameter has cases")
      }
      guard count <= EnumCaseTitle.countMax else {
        throw .over(limit: "enum-case-count-max", maximum: EnumCaseTitle.countMax, count: count, field: field)
      }
      guard Set(parameter.caseTitles.map { Array($0.name.utf8) }).count == count else {
        throw RequestError(.invalidArgument, field: field, "duplicate case")
      }
    }
    for (index, combination) in combinations.enumerated() {
      for (field, format) in combination.texts.formats
      where !format.references.allSatisfy(combination.parameters.contains) {
        throw RequestError(
          .invalidArgument, field: "combinations[\(index)].texts.\(field)",
          "refers to a parameter that the combination does not contain")
      }
    }
  }

  private static func check(_ parameters: [Parameter], _ combinations: [Combination]) throws(RequestError) {
    guard parameters.count <= Intent.parameterCountMax else {
      throw .over(
        limit: "parameter-count-max", maximum: Intent.parameterCountMax, count: parameters.count, field: "parameters")
    }
    guard combinations.count <= combinationCountMax else {
      throw .over(
        limit: "combination-count-max", maximum: combinationCountMax, count: combinations.count, field: "combinations")
    }
    let names = Set(parameters.map(\.name))
    guard names.count == parameters.count else {
      throw RequestError(.invalidArgument, field: "parameters", "duplicate parameter name")
    }
    var seen: Set<[IntentParameter.Name]> = []
    for (index, combination) in combinations.enumerated() {
      guard combination.parameters.allSatisfy(names.contains) else {
        throw RequestError(
          .invalidArgument, field: "combinations[\(index)]", "parameter is not declared by the intent type")
      }
      guard seen.insert(combination.parameters).inserted else {
        throw RequestError(.invalidArgument, field: "combinations[\(index)]", "duplicate combination")
      }
    }
  }

  /// Validates an intent as the configuration of a widget (rule S2).
  ///
  /// The intent's parameters must be declared by the type, have values of the declared types, and be exactly those of a
  /// supported combination.
  ///
  /// - Throws: ``RequestError`` with the reason.
  public func checkConfiguration(_ intent: Intent) throws(RequestError) {
    guard isEligibleForWidgets else {
      throw RequestError(.failedPrecondition, field: "intent", "intent type \(type) is not eligible for widgets")
    }
    guard isEligibleForSuggestions else {
      throw RequestError(.failedPrecondition, field: "intent", "intent type \(type) is not eligible for suggestions")
    }
    try checkValues(of: intent)
    let names = intent.parameters.map(\.name)
    guard combinations.contains(where: { $0.parameters == names }) else {
      throw RequestError(
        .invalidArgument, field: "intent.parameters",
        "the \(names.count) parameters match none of the \(combinations.count) supported combinations")
    }
  }

  /// Validates that an intent's parameters are declared by the type, with values of the declared types.
  ///
  /// - Parameters:
  ///   - intent: The intent.
  ///   - kept: Parameters that are not validated, since the type can have changed after they were set.
  ///   - field: The beginning of the path in errors.
  /// - Throws: ``RequestError`` with the reason.
  public func checkValues(
    of intent: Intent, except kept: [IntentParameter] = [], field: String = "intent"
  ) throws(RequestError) {
    for parameter in intent.parameters where !kept.contains(parameter) {
      let field = "\(field).parameters.\(parameter.name)"
      guard let known = parameters.first(where: { $0.name == parameter.name }) else {
        throw RequestError(.invalidArgument, field: field, "intent type \(type) has no such parameter")
      }
      guard known.accepts(parameter.value) else {
        throw RequestError(
          .invalidArgument, field: field, "value must be of type \(known.isArray ? "array of " : "")\(known.type)")
      }
    }
  }
}

extension IntentTypeDescriptor {
  /// Whether both descriptions are of one type of one app, and equal except for texts and image keys.
  public func differsOnlyInTexts(from other: IntentTypeDescriptor) -> Bool {
    app == other.app && type == other.type && isEligibleForWidgets == other.isEligibleForWidgets
      && isEligibleForSuggestions == other.isEligibleForSuggestions && isDiscoverable == other.isDiscoverable
      && isFocusFilter == other.isFocusFilter
      && parameters.elementsEqual(other.parameters) { one, other in
        one.name == other.name && one.type == other.type && one.isArray == other.isArray
          && one.caseTitles.map(\.name) == other.caseTitles.map(\.name)
      }
      && combinations.elementsEqual(other.combinations) { one, other in
        one.parameters == other.parameters && one.isBackground == other.isBackground
      }
  }
}

extension IntentTypeDescriptor.Parameter {
  /// Whether `value` has the parameter's type.
  func accepts(_ value: ParameterValue) -> Bool {
    switch value {
    case .single(let value): !isArray && value.type == type
    case .array(let values): isArray && values.allSatisfy { $0.type == type }
    }
  }
}

/// The type of a parameter's value.
public enum IntentValueType: UInt8, CaseIterable, Sendable {
  case string
  case integer
  case double
  case boolean
  case date
  case enumCase
  case object
  case place
  case person
}

extension IntentValueType: CustomStringConvertible {
  /// The name, as used in descriptions and error messages.
  public var description: String {
    switch self {
    case .string: "string"
    case .integer: "integer"
    case .double: "double"
    case .boolean: "boolean"
    case .date: "date"
    case .enumCase: "enum case"
    case .object: "object"
    case .place: "place"
    case .person: "person"
    }
  }
}

extension IntentValue {
  /// The value's type.
  public var type: IntentValueType {
    switch self {
    case .string: .string
    case .integer: .integer
    case .double: .double
    case .boolean: .boolean
    case .date: .date
    case .enumCase: .enumCase
    case .object: .object
    case .place: .place
    case .person: .person
    }
  }
}
