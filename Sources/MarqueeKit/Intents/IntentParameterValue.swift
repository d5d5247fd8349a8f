public import Foundation
public import MarqueeModel

/// A type of intent parameters: a string, number, date, object, person, place, entity or enumeration case, an array of
/// these, or an optional.
public protocol IntentParameterValue: Sendable {
  /// The type of the parameter on the server, and whether it is an array.
  static var parameterType: (value: IntentValueType, isArray: Bool) { get }

  /// Returns the encoded value; `nil` if the parameter is not set.
  func parameterValue() throws -> ParameterValue?

  /// Returns the value of a widget's configuration; `nil` if a required value is missing or has another type.
  static func resolve(_ value: ParameterValue?) async throws -> Self?

  /// Whether the type has options: an entity or an enumeration.
  static var hasOptions: Bool { get }
  /// Returns the options; `nil` if the type has none.
  static func options(_ query: OptionsQuery) async throws -> ParameterOptions?
  /// Returns the names of an intent's parameters on which the options depend.
  static func optionsDependencies(in intent: any Sendable) -> [String]
  /// The titles of the cases of an enumeration type.
  static var caseTitles: [EnumCaseTitle] { get }
  /// The description of the find action of an entity type; empty if there is none.
  static var findDescription: String { get }
}

extension IntentParameterValue {
  public static var hasOptions: Bool { false }
  public static func options(_ query: OptionsQuery) async throws -> ParameterOptions? { nil }
  public static func optionsDependencies(in intent: any Sendable) -> [String] { [] }
  public static var caseTitles: [EnumCaseTitle] { [] }
  public static var findDescription: String { "" }
}

/// A parameter value that is not an array, encoded as one ``IntentValue``.
public protocol SingleParameterValue: IntentParameterValue {
  /// The type of the parameter on the server.
  static var valueType: IntentValueType { get }

  /// Returns the encoded value.
  func intentValue() throws -> IntentValue

  /// Returns the value of a widget's configuration; `nil` if it has another type.
  static func resolve(_ value: IntentValue) async throws -> Self?

  /// The representation of the value in a list of options.
  var optionRepresentation: DisplayRepresentation { get }
}

extension SingleParameterValue {
  public static var parameterType: (value: IntentValueType, isArray: Bool) { (valueType, false) }

  public var optionRepresentation: DisplayRepresentation { DisplayRepresentation(verbatim: "\(self)") }

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
  public static var caseTitles: [EnumCaseTitle] { Wrapped.caseTitles }
  public static var findDescription: String { Wrapped.findDescription }
  public static func optionsDependencies(in intent: any Sendable) -> [String] {
    Wrapped.optionsDependencies(in: intent)
  }
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
  public static var caseTitles: [EnumCaseTitle] { Element.caseTitles }
  public static var findDescription: String { Element.findDescription }

  public func parameterValue() throws -> ParameterValue? { .array(try map { try $0.intentValue() }) }

  public static var hasOptions: Bool { Element.hasOptions }
  public static func optionsDependencies(in intent: any Sendable) -> [String] {
    Element.optionsDependencies(in: intent)
  }
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

extension CLPlacemark {
  /// Creates a placemark of a place.
  convenience init(_ place: Place) {
    let location = CLLocation(latitude: place.latitude, longitude: place.longitude)
    self.init(location: location, name: place.display)
  }
}

extension CLPlacemark: SingleParameterValue {
  public static var valueType: IntentValueType { .place }
  public var optionRepresentation: DisplayRepresentation { DisplayRepresentation(verbatim: name ?? "") }

  public func intentValue() throws -> IntentValue {
    guard let point = location?.coordinate else {
      throw RequestError(.invalidArgument, field: "location", "the placemark has no location")
    }
    return .place(try Place(point, display: name ?? ""))
  }

  public static func resolve(_ value: IntentValue) -> Self? {
    if case .place(let place) = value { CLPlacemark(place) as? Self } else { nil }
  }
}

extension Place {
  init(_ point: CLLocationCoordinate2D, display: String) throws(RequestError) {
    try self.init(latitude: point.latitude, longitude: point.longitude, display: display)
  }
}
