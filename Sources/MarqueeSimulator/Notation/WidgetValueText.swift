import MarqueeModel

/// A parameter's value as a person writes it: with its type in front, or without.
package struct WidgetValueText: Equatable, Sendable {
  /// The types of ``IntentValue``, as they stand before a value.
  package enum ValueType: String, CaseIterable, Sendable {
    case string, integer, double, boolean, date, enumCase, object, place, person
  }

  /// The type told; `nil` leaves it open.
  package let type: ValueType?
  /// The value as it was written, without quotes.
  package let text: String

  /// A value of that type and text.
  init(type: ValueType?, text: String) {
    self.type = type
    self.text = text
  }

  /// A value that stands alone, so that no quotes are needed: `oslo`, `object:oslo`.
  init(unquoted text: String) {
    // Bytes, since a combining sign after the colon would make one character of both.
    let bytes = text.utf8
    guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), let type = ValueType(rawValue: String(text[..<colon]))
    else {
      self.init(type: nil, text: text)
      return
    }
    self.init(type: type, text: String(text[bytes.index(after: colon)...]))
  }

  /// The exact form of a value that stands alone, which ``init(unquoted:)`` reads.
  static func unquoted(_ value: IntentValue) -> String {
    let text = value.text
    let isGuessed = (try? WidgetValueText(unquoted: text).value()) == value  // a wrong guess has no message
    return isGuessed ? text : "\(value.textType.rawValue):\(text)"
  }

  /// Whether this stands for `value`: without a type, whatever is written alike.
  package func means(_ value: IntentValue) -> Bool {
    if let type, type != value.textType { return false }
    return text == value.text
  }

  /// The value spelled: without a type, a whole number, a number, `true` or `false`, else a string.
  package func value() throws(Refusal) -> IntentValue {
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

  private var wrong: Refusal {
    Refusal(.invalidArgument, "\"\(text)\" is not of type \(type?.rawValue ?? "string")")
  }

  private func number<Value>(_ read: (String) -> Value?) throws(Refusal) -> Value {
    guard let value = read(text) else { throw wrong }
    return value
  }
}

extension IntentValue {
  /// How a person writes the value, without its type.
  package var text: String {
    if case .date(let instant) = self { return DeviceClock.utc.rfc3339(instant).replacing("+00:00", with: "Z") }
    return description
  }

  /// The name of its type.
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

  /// The exact form, which reads back as an equal value: with the type unless it would be guessed right.
  package var exactText: String {
    let isGuessed = (try? WidgetValueText(type: nil, text: text).value()) == self  // a wrong guess has no message
    let special: Set<Character> = [",", "(", ")", "[", "]", "=", "\"", "\\", ":"]
    let isQuoted = text.isEmpty || text.contains(where: special.contains) || text.first == " " || text.last == " "
    let escaped = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    return (isGuessed ? "" : "\(textType.rawValue):") + (isQuoted ? "\"\(escaped)\"" : text)
  }
}

extension Widget {
  /// The exact text form, which ``WidgetText`` reads: `com.example.weather/Forecast(city=object:cupertino)`.
  package var exactText: String {
    kind.description + (configuration.map { "(\($0.parametersText))" } ?? "")
  }
}

extension Intent {
  /// The type and the parameters, written as a widget's: `SelectCity(city=object:cupertino)`.
  package var exactText: String { "\(type)(\(parametersText))" }

  fileprivate var parametersText: String {
    parameters.map { "\($0.name)=\($0.value.exactText)" }.joined(separator: ", ")
  }
}

extension ParameterValue {
  /// The value or the array, written as in a widget.
  package var exactText: String {
    switch self {
    case .single(let value): value.exactText
    case .array(let values): "[\(values.map(\.exactText).joined(separator: ", "))]"
    }
  }
}
