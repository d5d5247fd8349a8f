/// A type and typed parameters: an action of an app, or the configuration of a widget.
///
/// Parameters are sorted by name, so equality does not depend on the order in which they were given.
public struct Intent: Hashable, Sendable {
  /// The maximum number of parameters of an intent.
  public static let parameterCountMax = 64

  /// The intent's type.
  public let type: IntentType
  /// The parameters that have a value, ordered by name.
  public let parameters: [IntentParameter]

  /// Creates an intent.
  ///
  /// - Throws: ``RequestError`` if a name is duplicated, a count or a size exceeds its limit, or a number is not
  ///   finite.
  public init(type: IntentType, parameters: [IntentParameter] = []) throws(RequestError) {
    self.type = type
    self.parameters = try IntentParameter.sorted(parameters, field: "parameters")
  }

  /// Creates an intent with a subset of another intent's parameters, in the same order.
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

    public init(_ text: String) throws(RequestError) {
      try Self.checkName(text)
      self.text = text
    }
  }

  /// The parameter's name, unique in its intent.
  public let name: Name
  /// The value.
  public let value: ParameterValue

  /// Creates a parameter.
  public init(name: Name, value: ParameterValue) {
    self.name = name
    self.value = value
  }

  /// Returns the parameters sorted by name.
  ///
  /// - Throws: ``RequestError`` if a name is duplicated, a count or a size exceeds its limit, or a number is not
  ///   finite.
  static func sorted(_ parameters: [IntentParameter], field: String) throws(RequestError) -> [IntentParameter] {
    guard parameters.count <= Intent.parameterCountMax else {
      throw .over(
        limit: "parameter-count-max", maximum: Intent.parameterCountMax, count: parameters.count, field: field)
    }
    let sorted = parameters.sorted { $0.name < $1.name }
    for (left, right) in zip(sorted, sorted.dropFirst()) where left.name == right.name {
      throw RequestError(.invalidArgument, field: field, "duplicate parameter name")
    }
    for parameter in sorted {
      do { try parameter.value.check() } catch { throw error.within(field) }
    }
    return sorted
  }
}

/// The value of a parameter: a single value or an array.
public enum ParameterValue: Hashable, Sendable {
  /// The maximum number of elements of an array.
  public static let elementCountMax = 256

  /// One value.
  case single(IntentValue)
  /// An ordered array of values.
  case array([IntentValue])

  func check() throws(RequestError) {
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

/// A typed value of an intent's parameter. Strings are compared by their UTF-8 bytes, and need not be normalized.
public enum IntentValue: Hashable, Sendable {
  /// The maximum size of a string, in UTF-8 bytes.
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

  /// Validates the value.
  ///
  /// - Throws: ``RequestError`` if a string is too long or a number is not finite.
  package func check() throws(RequestError) {
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
      throw RequestError(.invalidArgument, "\(number) is not finite")
    }
  }
}

extension IntentValue {
  public static func == (left: IntentValue, right: IntentValue) -> Bool {
    switch (left, right) {
    case (.string(let left), .string(let right)), (.enumCase(let left), .enumCase(let right)): left.hasBytes(of: right)
    case (.integer(let left), .integer(let right)): left == right
    case (.double(let left), .double(let right)): left == right
    case (.boolean(let left), .boolean(let right)): left == right
    case (.date(let left), .date(let right)): left == right
    case (.object(let left), .object(let right)), (.person(let left), .person(let right)): left == right
    case (.place(let left), .place(let right)): left == right
    default: false
    }
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(type)
    switch self {
    case .string(let text), .enumCase(let text): text.hashBytes(into: &hasher)
    case .integer(let number): hasher.combine(number)
    case .double(let number): hasher.combine(number)
    case .boolean(let flag): hasher.combine(flag)
    case .date(let instant): hasher.combine(instant)
    case .object(let identity), .person(let identity): hasher.combine(identity)
    case .place(let place): hasher.combine(place)
    }
  }
}

/// An identifier with a display string. Only the identifier is compared.
public struct DisplayIdentity: Hashable, Sendable {
  /// The identity of the value.
  public let identifier: String
  /// The string to show; never compared.
  public let display: String

  /// Creates an identity with a display string.
  public init(identifier: String, display: String) {
    self.identifier = identifier
    self.display = display
  }

  public static func == (left: DisplayIdentity, right: DisplayIdentity) -> Bool {
    left.identifier.hasBytes(of: right.identifier)
  }

  public func hash(into hasher: inout Hasher) { identifier.hashBytes(into: &hasher) }
}

/// A point on Earth with a display name. Only the coordinates are compared.
public struct Place: Hashable, Sendable {
  /// The latitude in degrees, in `-90 ... 90`.
  public let latitude: Double
  /// The longitude in degrees, in `-180 ... 180`.
  public let longitude: Double
  /// The string to show; never compared.
  public let display: String

  /// Creates a place.
  ///
  /// - Throws: ``RequestError`` if a coordinate is out of range.
  public init(latitude: Double, longitude: Double, display: String) throws(RequestError) {
    guard latitude.magnitude <= 90 else {
      throw RequestError(.invalidArgument, field: "latitude", "\(latitude) is outside -90 ... 90")
    }
    guard longitude.magnitude <= 180 else {
      throw RequestError(.invalidArgument, field: "longitude", "\(longitude) is outside -180 ... 180")
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
