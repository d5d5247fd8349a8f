internal import CMarqueeProtos
internal import MarqueeModel
internal import MarqueeRPC

extension OptionsQuery: WireValue {
  init(_ message: Marquee__V1__OptionsQuery) throws(RequestError) {
    try self.init(
      intent: Field.required(message.intent, "intent"), parameter: Field.identifier(message.parameter, "parameter"),
      Selection(message), sort: Field.optional(message.sort, "sort"),
      count: Field.count(message.count_max, "count_max", default: Self.countDefault, maximum: Self.countMax))
  }

  func fill(_ message: inout Marquee__V1__OptionsQuery, _ scratch: EncodeScratch) {
    message.intent = scratch.message(intent)
    message.parameter = scratch.text(parameter)
    message.sort = scratch.message(sort)
    message.count_max = UInt32(count)
    switch selection {
    case .suggested:
      message.selection_case = MARQUEE__V1__OPTIONS_QUERY__SELECTION_SUGGESTED
      message.suggested = 1
    case .matching(let text):
      message.selection_case = MARQUEE__V1__OPTIONS_QUERY__SELECTION_MATCHING
      message.matching = scratch.text(text)
    case .identifiers(let identifiers):
      message.selection_case = MARQUEE__V1__OPTIONS_QUERY__SELECTION_IDENTIFIERS
      message.identifiers = scratch.build {
        ($0.n_identifiers, $0.identifiers) = scratch.elements(identifiers) { scratch.text($0) }
      }
    case .comparing(let comparisons, let isAny):
      message.selection_case = MARQUEE__V1__OPTIONS_QUERY__SELECTION_COMPARISONS
      message.comparisons = scratch.build {
        ($0.n_comparisons, $0.comparisons) = scratch.array(comparisons)
        $0.any = isAny ? 1 : 0
      }
    }
  }
}

extension OptionsQuery.Selection {
  fileprivate init(_ message: Marquee__V1__OptionsQuery) throws(RequestError) {
    switch message.selection_case {
    case MARQUEE__V1__OPTIONS_QUERY__SELECTION_SUGGESTED:
      try Field.selector(message.suggested, "suggested")
      self = .suggested
    case MARQUEE__V1__OPTIONS_QUERY__SELECTION_MATCHING: self = .matching(try Field.text(message.matching, "matching"))
    case MARQUEE__V1__OPTIONS_QUERY__SELECTION_IDENTIFIERS:
      let list = message.identifiers.pointee
      self = .identifiers(
        try Field.within("identifiers", Field.texts(list.n_identifiers, list.identifiers, "identifiers")))
    case MARQUEE__V1__OPTIONS_QUERY__SELECTION_COMPARISONS:
      let list = message.comparisons.pointee
      let comparisons: [PropertyComparison] = try Field.within(
        "comparisons", Field.array(list.n_comparisons, list.comparisons, "comparisons"))
      self = .comparing(comparisons, isAny: list.any != 0)
    default: throw Field.absent("selection", of: message.base)
    }
  }
}

extension ParameterOptions: WireValue {
  init(_ message: Marquee__V1__ParameterOptions) throws(RequestError) {
    self.init(
      try Field.array(message.n_options, message.options, "options"), isSelected: message.everything == 0,
      defaultValue: try Field.optional(message.default_value, "default_value"))
  }

  func fill(_ message: inout Marquee__V1__ParameterOptions, _ scratch: EncodeScratch) {
    (message.n_options, message.options) = scratch.array(options)
    message.everything = isSelected ? 0 : 1
    message.default_value = scratch.message(defaultValue)
  }
}

extension ParameterValue: WireValue {
  init(_ message: Marquee__V1__ParameterValue) throws(RequestError) {
    self = try ParameterValue(message.n_values, message.values, isArray: message.is_array != 0)
  }

  func fill(_ message: inout Marquee__V1__ParameterValue, _ scratch: EncodeScratch) {
    (message.n_values, message.values) = scratch.array(values)
    message.is_array = isArray ? 1 : 0
  }
}
