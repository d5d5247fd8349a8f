import MarqueeModel

/// A parameter's value in text form, optionally prefixed by its type.
package struct WidgetValueText: Equatable, Sendable {
  /// The types of ``IntentValue``, as written before a value.
  package enum ValueType: String, CaseIterable, Sendable {
    case string, integer, double, boolean, date
    case enumCase = "enum"
    case object, place, person

    /// Other spellings of types, which would otherwise be read as the start of a string.
    private static let otherSpellings: [String: ValueType] = [
      "enumcase": .enumCase, "enum-case": .enumCase, "int": .integer, "float": .double, "bool": .boolean,
    ]

    /// Finds the type that is written before a value's colon; `nil` if it is not a type, as in `https:`.
    ///
    /// - Throws: `RequestError` with the right spelling for another one, such as `enumCase` or `Object`.
    init?(prefix: Substring) throws(RequestError) {
      let text = String(prefix)
      if let type = Self(rawValue: text) {
        self = type
        return
      }
      let lowercase = text.lowercased()
      guard let meant = Self(rawValue: lowercase) ?? Self.otherSpellings[lowercase] else { return nil }
      throw RequestError(
        .invalidArgument,
        "unknown value type \"\(text):\"; write \"\(meant.rawValue):\", or \"string:\" before a string that starts so")
    }
  }

  /// The explicit type, or `nil` if none is given.
  package let type: ValueType?
  /// The value's text without quotes.
  package let text: String

  /// Creates a value with that type and text.
  init(type: ValueType?, text: String) {
    self.type = type
    self.text = text
  }

  /// Parses a standalone value, which needs no quotes: `oslo`, `object:oslo`.
  ///
  /// - Throws: `RequestError` if it starts with a type in another spelling.
  package init(unquoted text: String) throws(RequestError) {
    // Compares bytes, since a combining mark after the colon would form a single character with it.
    let bytes = text.utf8
    guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), let type = try ValueType(prefix: text[..<colon]) else {
      self.init(type: nil, text: text)
      return
    }
    self.init(type: type, text: String(text[bytes.index(after: colon)...]))
  }

  /// Returns the exact standalone form of a value, which ``init(unquoted:)`` parses.
  static func unquoted(_ value: IntentValue) -> String {
    let text = value.text
    let isGuessed = (try? WidgetValueText(unquoted: text).value()) == value  // a wrong guess has no message
    return isGuessed ? text : "\(value.textType.rawValue):\(text)"
  }

  /// Whether this text matches `value`. Without a type, any value with the same text matches.
  package func means(_ value: IntentValue) -> Bool {
    if let type, type != value.textType { return false }
    return text == value.text
  }

  /// Returns the value. Without a type it is an integer, a number, `true` or `false`, otherwise a string.
  package func value() throws(RequestError) -> IntentValue {
    switch type {
    case nil: return untypedValue
    case .string: return .string(text)
    case .enumCase: return .enumCase(text)
    case .object: return .object(DisplayIdentity(identifier: text, display: text))
    case .person: return .person(DisplayIdentity(identifier: text, display: text))
    case .integer: return .integer(try number { Int64($0) })
    case .double: return .double(try number { Double($0) })
    case .boolean: return .boolean(try number { Bool($0) })
    case .date:
      guard let date = TimeText(text)?.instant(day: .min, clock: .utc) else { throw wrong }
      return .date(date)
    case .place:
      let parts = text.split(separator: ",").compactMap { Double($0) }
      guard parts.count == 2 else { throw wrong }
      return .place(try Place(latitude: parts[0], longitude: parts[1], display: ""))
    }
  }

  private var untypedValue: IntentValue {
    if let whole = Int64(text) { return .integer(whole) }
    if let number = Double(text), number.isFinite { return .double(number) }
    return Bool(text).map(IntentValue.boolean) ?? .string(text)
  }

  private var wrong: RequestError {
    RequestError(.invalidArgument, "\"\(text)\" is not of type \(type?.rawValue ?? "string")")
  }

  private func number<Value>(_ read: (String) -> Value?) throws(RequestError) -> Value {
    guard let value = read(text) else { throw wrong }
    return value
  }
}

extension IntentValue {
  /// The value's text without its type.
  package var text: String {
    if case .date(let instant) = self { return DeviceClock.utc.rfc3339(instant).replacing("+00:00", with: "Z") }
    return description
  }

  /// The name of the value's type.
  package var textType: WidgetValueText.ValueType {
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

  /// The exact form, which parses to an equal value: with the type unless it can be inferred.
  package var exactText: String {
    let isGuessed = (try? WidgetValueText(type: nil, text: text).value()) == self  // a wrong guess has no message
    let special: Set<Character> = [",", "(", ")", "[", "]", "=", "\"", "\\", ":"]
    let isQuoted = text.isEmpty || text.contains(where: special.contains) || text.first == " " || text.last == " "
    let escaped = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    return (isGuessed ? "" : "\(textType.rawValue):") + (isQuoted ? "\"\(escaped)\"" : text)
  }
}

extension Widget {
  /// The exact text form, which ``WidgetText`` parses: `com.example.weather/Forecast(city=object:cupertino)`.
  package var exactText: String {
    WidgetText.quoted(kind.description) + selectionText
  }

  /// The exact text form without the app: `Forecast(city=object:cupertino)`.
  package var exactTextInApp: String { WidgetText.quoted(kind.name.text) + selectionText }

  private var selectionText: String { configuration.map { "(\($0.parametersText))" } ?? "" }
}

extension Intent {
  /// The type and the parameters in the syntax of widgets: `SelectCity(city=object:cupertino)`.
  package var exactText: String { "\(WidgetText.quoted(type.text))(\(parametersText))" }

  fileprivate var parametersText: String {
    parameters.map { "\($0.name)=\($0.value.exactText)" }.joined(separator: ", ")
  }
}

extension ParameterValue {
  /// The value or the array in the syntax of widgets.
  package var exactText: String {
    switch self {
    case .single(let value): value.exactText
    case .array(let values): "[\(values.map(\.exactText).joined(separator: ", "))]"
    }
  }
}
