/// What an app says of one of its intent types: parameters, and which of them together make sense (rules D2, D3).
public struct IntentTypeDescriptor: Hashable, Sendable {
  /// Supported combinations of one type, at most.
  public static let combinationCountMax = 16

  /// One parameter of the type.
  public struct Parameter: Hashable, Sendable {
    /// The parameter's name, unique in its type.
    public let name: IntentParameter.Name
    /// What its values are.
    public let type: IntentValueType
    /// Whether it holds an array of such values.
    public let isArray: Bool

    /// A parameter of that name and type.
    public init(name: IntentParameter.Name, type: IntentValueType, isArray: Bool = false) {
      self.name = name
      self.type = type
      self.isArray = isArray
    }
  }

  /// Parameters that form a complete intent when all of them are set.
  public struct Combination: Hashable, Sendable {
    /// The parameters' names, in their order, none twice.
    public let parameters: [IntentParameter.Name]
    /// Whether such an intent can run in the background.
    public let isBackground: Bool

    /// The combination of those parameters, in whatever order they are given.
    public init(parameters: [IntentParameter.Name], isBackground: Bool = false) {
      self.parameters = Set(parameters).sorted()
      self.isBackground = isBackground
    }
  }

  /// The app whose type it is.
  public let app: AppID
  /// The type described.
  public let type: IntentType
  /// Its parameters, in the order of their names.
  public let parameters: [Parameter]
  /// The supported combinations, in the order given.
  public let combinations: [Combination]
  /// Whether intents of the type may configure widgets.
  public let isEligibleForWidgets: Bool
  /// Whether intents of the type may be suggested.
  public let isEligibleForSuggestions: Bool
  /// Whether the type is shown in galleries.
  public let isDiscoverable: Bool

  /// A description, or a refusal when there are too many parameters or combinations, two parameters of one name, two
  /// equal combinations, or a combination with a parameter that the type has not.
  public init(
    app: AppID, type: IntentType, parameters: [Parameter], combinations: [Combination],
    isEligibleForWidgets: Bool = true, isEligibleForSuggestions: Bool = true, isDiscoverable: Bool = true
  ) throws(Refusal) {
    try Self.check(parameters, combinations)
    self.app = app
    self.type = type
    self.parameters = parameters.sorted { $0.name < $1.name }
    self.combinations = combinations
    self.isEligibleForWidgets = isEligibleForWidgets
    self.isEligibleForSuggestions = isEligibleForSuggestions
    self.isDiscoverable = isDiscoverable
  }

  private static func check(_ parameters: [Parameter], _ combinations: [Combination]) throws(Refusal) {
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
      throw Refusal(.invalidArgument, field: "parameters", "two parameters of one name")
    }
    var seen: Set<[IntentParameter.Name]> = []
    for (index, combination) in combinations.enumerated() {
      guard combination.parameters.allSatisfy(names.contains) else {
        throw Refusal(.invalidArgument, field: "combinations[\(index)]", "a parameter that the type has not")
      }
      guard seen.insert(combination.parameters).inserted else {
        throw Refusal(.invalidArgument, field: "combinations[\(index)]", "the combination comes twice")
      }
    }
  }

  /// Refuses an intent that cannot configure a widget by this type, naming the reason (rule S2): its parameters must
  /// be the type's, of the types' values, and be exactly those of a supported combination.
  public func checkConfiguration(_ intent: Intent) throws(Refusal) {
    guard isEligibleForWidgets else {
      throw Refusal(.failedPrecondition, field: "intent", "the type \(type) is not eligible for widgets")
    }
    guard isEligibleForSuggestions else {
      throw Refusal(.failedPrecondition, field: "intent", "the type \(type) is not eligible for suggestions")
    }
    for parameter in intent.parameters {
      let field = "intent.parameters.\(parameter.name)"
      guard let known = parameters.first(where: { $0.name == parameter.name }) else {
        throw Refusal(.invalidArgument, field: field, "the type \(type) has no such parameter")
      }
      guard known.accepts(parameter.value) else {
        throw Refusal(
          .invalidArgument, field: field, "the value is not \(known.isArray ? "an array of " : "")\(known.type)")
      }
    }
    let names = intent.parameters.map(\.name)
    guard combinations.contains(where: { $0.parameters == names }) else {
      throw Refusal(
        .invalidArgument, field: "intent.parameters",
        "the \(names.count) parameters are none of the \(combinations.count) supported combinations")
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

/// The type of one value of an intent's parameter.
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
  /// The name, as descriptions and refusals spell it.
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
