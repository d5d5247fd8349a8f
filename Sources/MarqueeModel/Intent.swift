/// A type name and typed parameters: what an app can do, or how a widget is configured.
///
/// Parameters are kept in the order of their names, so equal intents are equal however they were built.
public struct Intent: Hashable, Sendable {
  /// Parameters in one intent, at most.
  public static let parameterCountMax = 64

  /// The intent's type.
  public let type: IntentType
  /// The parameters that have a value, in the order of their names.
  public let parameters: [IntentParameter]

  /// An intent with those parameters, or a refusal when a name comes twice, there are too many, or a value is over
  /// its limit or not finite.
  public init(type: IntentType, parameters: [IntentParameter] = []) throws(Refusal) {
    self.type = type
    self.parameters = try IntentParameter.sorted(parameters, field: "parameters")
  }

  /// An intent with some parameters of another intent, in the same order.
  init(type: IntentType, checked parameters: [IntentParameter]) {
    self.type = type
    self.parameters = parameters
  }
}

/// One named parameter of an intent.
public struct IntentParameter: Hashable, Sendable {
  /// The name of a parameter.
  public struct Name: Identifier {
    public let text: String

    public init(_ text: String) throws(Refusal) {
      try Self.checkName(text)
      self.text = text
    }
  }

  /// The parameter's name, unique in its intent.
  public let name: Name
  /// What it is set to.
  public let value: ParameterValue

  /// A parameter of that name and value.
  public init(name: Name, value: ParameterValue) {
    self.name = name
    self.value = value
  }

  /// The parameters in the order of their names, or a refusal when a name comes twice, there are too many, or a value
  /// is over its limit or not finite.
  static func sorted(_ parameters: [IntentParameter], field: String) throws(Refusal) -> [IntentParameter] {
    guard parameters.count <= Intent.parameterCountMax else {
      throw .over(
        limit: "parameter-count-max", maximum: Intent.parameterCountMax, count: parameters.count, field: field)
    }
    let sorted = parameters.sorted { $0.name < $1.name }
    for (left, right) in zip(sorted, sorted.dropFirst()) where left.name == right.name {
      throw Refusal(.invalidArgument, field: field, "two parameters of one name")
    }
    for parameter in sorted {
      do { try parameter.value.check() } catch { throw error.within(field) }
    }
    return sorted
  }
}

/// What a parameter is set to: one value or an array of values.
public enum ParameterValue: Hashable, Sendable {
  /// Values in one array, at most.
  public static let elementCountMax = 256

  /// One value.
  case single(IntentValue)
  /// Values in their order.
  case array([IntentValue])

  func check() throws(Refusal) {
    switch self {
    case .single(let value): try value.check()
    case .array(let values):
      guard values.count <= Self.elementCountMax else {
        throw .over(limit: "element-count-max", maximum: Self.elementCountMax, count: values.count)
      }
      for value in values { try value.check() }
    }
  }
}

/// One typed value of an intent's parameter.
public enum IntentValue: Hashable, Sendable {
  /// Bytes in one string, at most.
  public static let stringSizeMax = 4_096

  case string(String)
  case integer(Int64)
  /// A finite number.
  case double(Double)
  case boolean(Bool)
  case date(Instant)
  case enumCase(String)
  case object(DisplayIdentity)
  case place(Place)
  case person(DisplayIdentity)

  /// Refuses a string that is too long and a number that is not finite.
  package func check() throws(Refusal) {
    let size =
      switch self {
      case .string(let text), .enumCase(let text): text.utf8.count
      case .object(let identity), .person(let identity):
        max(identity.identifier.utf8.count, identity.display.utf8.count)
      case .place(let place): place.display.utf8.count
      case .integer, .double, .boolean, .date: 0
      }
    guard size <= Self.stringSizeMax else {
      throw .over(limit: "string-size-max", maximum: Self.stringSizeMax, count: size)
    }
    if case .double(let number) = self, !number.isFinite {
      throw Refusal(.invalidArgument, "\(number) is not finite")
    }
  }
}

/// An identifier with the string to show for it. Only the identifier takes part in equality.
public struct DisplayIdentity: Hashable, Sendable {
  /// What the value is.
  public let identifier: String
  /// What to show for it; never compared.
  public let display: String

  /// A value called `identifier`, shown as `display`.
  public init(identifier: String, display: String) {
    self.identifier = identifier
    self.display = display
  }

  public static func == (left: DisplayIdentity, right: DisplayIdentity) -> Bool {
    left.identifier == right.identifier
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(identifier)
  }
}

/// A point on Earth with the name to show for it. Only the coordinates take part in equality.
public struct Place: Hashable, Sendable {
  /// Degrees north, in `-90 ... 90`.
  public let latitude: Double
  /// Degrees east, in `-180 ... 180`.
  public let longitude: Double
  /// What to show for it; never compared.
  public let display: String

  /// A place, or a refusal of coordinates that do not exist on Earth.
  public init(latitude: Double, longitude: Double, display: String) throws(Refusal) {
    guard latitude.magnitude <= 90 else {
      throw Refusal(.invalidArgument, field: "latitude", "\(latitude) is outside -90 ... 90")
    }
    guard longitude.magnitude <= 180 else {
      throw Refusal(.invalidArgument, field: "longitude", "\(longitude) is outside -180 ... 180")
    }
    self.latitude = latitude
    self.longitude = longitude
    self.display = display
  }

  public static func == (left: Place, right: Place) -> Bool {
    left.latitude == right.latitude && left.longitude == right.longitude
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(latitude)
    hasher.combine(longitude)
  }
}
