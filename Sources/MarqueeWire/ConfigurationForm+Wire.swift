internal import CMarqueeProtos
internal import MarqueeModel
internal import MarqueeRPC

extension FormQuery: WireValue {
  init(_ message: Marquee__V1__FormQuery) throws(RequestError) {
    self.init(
      kind: try Field.identifier(message.kind, "kind"), family: try Field.family(message.family.rawValue, "family"),
      configuration: try Field.optional(message.configuration, "configuration"))
  }

  func fill(_ message: inout Marquee__V1__FormQuery, _ scratch: EncodeScratch) {
    message.kind = scratch.text(kind)
    message.family = Marquee__V1__WidgetFamily(rawValue: UInt32(family.rawValue))
    message.configuration = scratch.message(configuration)
  }
}

extension ConfigurationForm: WireValue {
  init(_ message: Marquee__V1__ConfigurationForm) throws(RequestError) {
    self.init(
      configuration: try Field.required(message.configuration, "configuration"),
      summary: try Field.array(message.n_summary, message.summary, "summary"),
      fields: try Field.array(message.n_fields, message.fields, "fields"),
      problems: try Field.array(message.n_problems, message.problems, "problems"))
  }

  func fill(_ message: inout Marquee__V1__ConfigurationForm, _ scratch: EncodeScratch) {
    message.configuration = scratch.message(configuration)
    (message.n_summary, message.summary) = scratch.array(summary)
    (message.n_fields, message.fields) = scratch.array(fields)
    (message.n_problems, message.problems) = scratch.array(problems)
  }
}

extension ConfigurationForm.SummaryPart: WireValue {
  init(_ message: Marquee__V1__SummaryPart) throws(RequestError) {
    switch message.part_case {
    case MARQUEE__V1__SUMMARY_PART__PART_TEXT: self = .text(try Field.text(message.text, "text"))
    case MARQUEE__V1__SUMMARY_PART__PART_PARAMETER:
      self = .parameter(try Field.identifier(message.parameter, "parameter"))
    default: throw Field.absent("part")
    }
  }

  func fill(_ message: inout Marquee__V1__SummaryPart, _ scratch: EncodeScratch) {
    switch self {
    case .text(let text):
      message.part_case = MARQUEE__V1__SUMMARY_PART__PART_TEXT
      message.text = scratch.text(text)
    case .parameter(let name):
      message.part_case = MARQUEE__V1__SUMMARY_PART__PART_PARAMETER
      message.parameter = scratch.text(name)
    }
  }
}

extension FormField: WireValue {
  init(_ message: Marquee__V1__FormField) throws(RequestError) {
    let hasSize = message.maybe_size_max_case == MARQUEE__V1__FORM_FIELD__MAYBE_SIZE_MAX_SIZE_MAX
    self.init(
      name: try Field.identifier(message.name, "name"),
      title: try Field.text(message.title, "title"), type: try IntentValueType(message.type, "type"),
      isArray: message.is_array != 0, sizeMax: hasSize ? Int(message.size_max) : nil,
      isRequired: message.required != 0, hasOptions: message.has_options != 0,
      dependencies: try Field.array(message.n_dependencies, message.dependencies, "dependencies") {
        (name) throws(RequestError) in try Field.identifier(name, "")
      })
  }

  func fill(_ message: inout Marquee__V1__FormField, _ scratch: EncodeScratch) {
    message.name = scratch.text(name)
    message.title = scratch.text(title)
    message.type = Marquee__V1__IntentValueType(type)
    message.is_array = isArray ? 1 : 0
    if let sizeMax {
      message.maybe_size_max_case = MARQUEE__V1__FORM_FIELD__MAYBE_SIZE_MAX_SIZE_MAX
      message.size_max = UInt32(clamping: sizeMax)
    }
    message.required = isRequired ? 1 : 0
    message.has_options = hasOptions ? 1 : 0
    (message.n_dependencies, message.dependencies) = scratch.elements(dependencies) { scratch.text($0) }
  }
}

extension ConfigurationForm.Problem: WireValue {
  init(_ message: Marquee__V1__FormProblem) throws(RequestError) {
    self.init(
      try Field.identifier(message.parameter, "parameter"), try Field.text(message.message, "message"))
  }

  func fill(_ message: inout Marquee__V1__FormProblem, _ scratch: EncodeScratch) {
    message.parameter = scratch.text(parameter)
    message.message = scratch.text(self.message)
  }
}
