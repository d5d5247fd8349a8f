public import Foundation
public import MarqueeModel

/// What a parameter of an intent can be: a string, a number, a date, an object, a person, a place, an entity, a case
/// of an enumeration; or an array of these; or an optional one.
public protocol IntentParameterValue: Sendable {
  /// What the server is told of the parameter's type, and whether it is an array.
  static var parameterType: (value: IntentValueType, isArray: Bool) { get }

  /// The value as the server gets it; `nil` when the parameter is not set.
  func parameterValue() throws -> ParameterValue?

  /// The value of a widget's configuration; `nil` where a parameter is not set that must be, or is of another type.
  static func resolve(_ value: ParameterValue?) async throws -> Self?

  /// Whether there are values to choose from: of an entity, or an enumeration.
  static var hasOptions: Bool { get }
  /// The values to choose from; `nil` if there are none.
  static func options(_ query: OptionsQuery) async throws -> ParameterOptions?
  /// The names of the parameters that the values to choose from depend on.
  static var optionsDependencies: [String] { get }
}

extension IntentParameterValue {
  public static var hasOptions: Bool { false }
  public static func options(_ query: OptionsQuery) async throws -> ParameterOptions? { nil }
  public static var optionsDependencies: [String] { [] }
}

/// A value of a parameter that is no array, as ``IntentParameterValue`` of one ``IntentValue``.
public protocol SingleParameterValue: IntentParameterValue {
  /// What the server is told of the parameter's type.
  static var valueType: IntentValueType { get }

  /// The value as the server gets it.
  func intentValue() throws -> IntentValue

  /// The value of a widget's configuration; `nil` when it is of another type.
  static func resolve(_ value: IntentValue) async throws -> Self?

  /// What to show for it where it can be chosen.
  var optionRepresentation: DisplayRepresentation { get }
}

extension SingleParameterValue {
  public static var parameterType: (value: IntentValueType, isArray: Bool) { (valueType, false) }

  public var optionRepresentation: DisplayRepresentation { "\(self)" }

  public func parameterValue() throws -> ParameterValue? { .single(try intentValue()) }

  public static func resolve(_ value: ParameterValue?) async throws -> Self? {
    guard case .single(let value)? = value else { return nil }
    return try await resolve(value)
  }
}

extension Optional: IntentParameterValue where Wrapped: IntentParameterValue {
  public static var parameterType: (value: IntentValueType, isArray: Bool) { Wrapped.parameterType }

  public func parameterValue() throws -> ParameterValue? { try self?.parameterValue() }

  public static var hasOptions: Bool { Wrapped.hasOptions }
  public static var optionsDependencies: [String] { Wrapped.optionsDependencies }
  public static func options(_ query: OptionsQuery) async throws -> ParameterOptions? {
    try await Wrapped.options(query)
  }

  public static func resolve(_ value: ParameterValue?) async throws -> Self? {
    guard value != nil else { return .some(nil) }
    return try await Wrapped.resolve(value)
  }
}

extension Array: IntentParameterValue where Element: SingleParameterValue {
  public static var parameterType: (value: IntentValueType, isArray: Bool) { (Element.valueType, true) }

  public func parameterValue() throws -> ParameterValue? { .array(try map { try $0.intentValue() }) }

  public static var hasOptions: Bool { Element.hasOptions }
  public static var optionsDependencies: [String] { Element.optionsDependencies }
  public static func options(_ query: OptionsQuery) async throws -> ParameterOptions? {
    try await Element.options(query)
  }

  public static func resolve(_ value: ParameterValue?) async throws -> Self? {
    guard case .array(let values)? = value else { return value == nil ? [] : nil }
    var elements: [Element] = []
    for value in values {
      guard let element = try await Element.resolve(value) else { return nil }
      elements.append(element)
    }
    return elements
  }
}

extension String: SingleParameterValue {
  public static var valueType: IntentValueType { .string }
  public func intentValue() -> IntentValue { .string(self) }
  public static func resolve(_ value: IntentValue) -> String? {
    if case .string(let text) = value { text } else { nil }
  }
}

extension Int: SingleParameterValue {
  public static var valueType: IntentValueType { .integer }
  public func intentValue() -> IntentValue { .integer(Int64(self)) }
  public static func resolve(_ value: IntentValue) -> Int? {
    if case .integer(let number) = value { Int(exactly: number) } else { nil }
  }
}

extension Double: SingleParameterValue {
  public static var valueType: IntentValueType { .double }
  public func intentValue() -> IntentValue { .double(self) }
  public static func resolve(_ value: IntentValue) -> Double? {
    if case .double(let number) = value { number } else { nil }
  }
}

extension Bool: SingleParameterValue {
  public static var valueType: IntentValueType { .boolean }
  public func intentValue() -> IntentValue { .boolean(self) }
  public static func resolve(_ value: IntentValue) -> Bool? {
    if case .boolean(let flag) = value { flag } else { nil }
  }
}

extension Date: SingleParameterValue {
  public static var valueType: IntentValueType { .date }
  public func intentValue() throws -> IntentValue { .date(try Instant(self, field: "date")) }
  public static func resolve(_ value: IntentValue) -> Date? {
    if case .date(let instant) = value { Date(instant) } else { nil }
  }
}

extension CLPlacemark: SingleParameterValue {
  public static var valueType: IntentValueType { .place }
  public var optionRepresentation: DisplayRepresentation { "\(name ?? "")" }

  public func intentValue() throws -> IntentValue {
    guard let point = location?.coordinate else {
      throw Refusal(.invalidArgument, field: "location", "a placemark without a location")
    }
    return .place(try Place(point, display: name ?? ""))
  }

  public static func resolve(_ value: IntentValue) -> Self? {
    guard case .place(let place) = value else { return nil }
    let location = CLLocation(latitude: place.latitude, longitude: place.longitude)
    return CLPlacemark(location: location, name: place.display) as? Self
  }
}

extension Place {
  init(_ point: CLLocationCoordinate2D, display: String) throws(Refusal) {
    try self.init(latitude: point.latitude, longitude: point.longitude, display: display)
  }
}
