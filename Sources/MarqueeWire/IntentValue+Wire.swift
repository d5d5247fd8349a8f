internal import CMarqueeProtos
internal import MarqueeModel
internal import MarqueeRPC

extension IntentValue: WireValue {
  init(_ message: Marquee__V1__IntentValue) throws(RequestError) {
    let name: String
    switch message.value_case {
    case MARQUEE__V1__INTENT_VALUE__VALUE_STRING_VALUE:
      name = "string_value"
      self = .string(try Field.text(message.string_value, name))
    case MARQUEE__V1__INTENT_VALUE__VALUE_INTEGER_VALUE:
      name = "integer_value"
      self = .integer(message.integer_value)
    case MARQUEE__V1__INTENT_VALUE__VALUE_DOUBLE_VALUE:
      name = "double_value"
      self = .double(message.double_value)
    case MARQUEE__V1__INTENT_VALUE__VALUE_BOOLEAN_VALUE:
      name = "boolean_value"
      self = .boolean(message.boolean_value != 0)
    case MARQUEE__V1__INTENT_VALUE__VALUE_DATE_MS:
      name = "date_ms"
      self = .date(try Field.instant(message.date_ms, name))
    case MARQUEE__V1__INTENT_VALUE__VALUE_ENUM_CASE:
      name = "enum_case"
      self = .enumCase(try Field.text(message.enum_case, name))
    case MARQUEE__V1__INTENT_VALUE__VALUE_OBJECT:
      name = "object"
      self = .object(try Field.required(message.object, name))
    case MARQUEE__V1__INTENT_VALUE__VALUE_PLACE:
      name = "place"
      self = .place(try Field.required(message.place, name))
    case MARQUEE__V1__INTENT_VALUE__VALUE_PERSON:
      name = "person"
      self = .person(try Field.required(message.person, name))
    default: throw Field.absent("value", of: message.base)
    }
    try Field.within(name, check())
  }

  func fill(_ message: inout Marquee__V1__IntentValue, _ scratch: EncodeScratch) {
    switch self {
    case .string(let text):
      message.value_case = MARQUEE__V1__INTENT_VALUE__VALUE_STRING_VALUE
      message.string_value = scratch.text(text)
    case .integer(let number):
      message.value_case = MARQUEE__V1__INTENT_VALUE__VALUE_INTEGER_VALUE
      message.integer_value = number
    case .double(let number):
      message.value_case = MARQUEE__V1__INTENT_VALUE__VALUE_DOUBLE_VALUE
      message.double_value = number
    case .boolean(let flag):
      message.value_case = MARQUEE__V1__INTENT_VALUE__VALUE_BOOLEAN_VALUE
      message.boolean_value = flag ? 1 : 0
    case .date(let date):
      message.value_case = MARQUEE__V1__INTENT_VALUE__VALUE_DATE_MS
      message.date_ms = date.milliseconds
    case .enumCase(let text):
      message.value_case = MARQUEE__V1__INTENT_VALUE__VALUE_ENUM_CASE
      message.enum_case = scratch.text(text)
    case .object(let identity):
      message.value_case = MARQUEE__V1__INTENT_VALUE__VALUE_OBJECT
      message.object = scratch.message(identity)
    case .place(let place):
      message.value_case = MARQUEE__V1__INTENT_VALUE__VALUE_PLACE
      message.place = scratch.message(place)
    case .person(let identity):
      message.value_case = MARQUEE__V1__INTENT_VALUE__VALUE_PERSON
      message.person = scratch.message(identity)
    }
  }
}

extension IntentParameter: WireValue {
  init(_ message: Marquee__V1__IntentParameter) throws(RequestError) {
    self.init(
      name: try Field.identifier(message.name, "name"),
      value: try ParameterValue(message.n_values, message.values, isArray: message.is_array != 0))
  }

  func fill(_ message: inout Marquee__V1__IntentParameter, _ scratch: EncodeScratch) {
    message.name = scratch.text(name)
    (message.n_values, message.values) = scratch.array(value.values)
    message.is_array = value.isArray ? 1 : 0
  }
}

extension ParameterValue {
  /// Decodes a message's fields `values` and `is_array`.
  init(
    _ count: Int, _ pointers: UnsafeMutablePointer<UnsafeMutablePointer<Marquee__V1__IntentValue>?>?, isArray: Bool
  ) throws(RequestError) {
    guard count <= Self.elementCountMax else {
      throw .over(limit: "element-count-max", maximum: Self.elementCountMax, count: count, field: "values")
    }
    let values: [IntentValue] = try Field.array(count, pointers, "values")
    if isArray {
      self = .array(values)
    } else if count == 1 {
      self = .single(values[0])
    } else {
      throw RequestError(
        .invalidArgument, field: "values", "must have exactly 1 value unless is_array is set (count: \(count))")
    }
  }

  var values: [IntentValue] {
    switch self {
    case .single(let value): [value]
    case .array(let values): values
    }
  }

  var isArray: Bool {
    if case .array = self { true } else { false }
  }
}
