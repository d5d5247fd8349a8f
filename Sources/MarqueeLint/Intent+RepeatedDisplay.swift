import MarqueeModel

/// A string parameter that repeats the display string of another parameter.
struct RepeatedDisplay {
  let string: IntentParameter.Name
  let object: IntentParameter.Name

  /// The names as values of a finding.
  var values: [FindingValue] { [FindingValue("string", string), FindingValue("object", object)] }

  /// Returns the finding's message for `item`; `more` states the number of further cases.
  func words(in item: String, _ more: String) -> String {
    "the string \(string) of \(item) equals the display string of \(object)\(more): "
      + "display strings are never compared but strings are, so that another wording is another intent"
  }

  /// Returns the finding about donations.
  static func finding(_ repeated: [(index: Int, parameters: RepeatedDisplay)]) -> LintWarning? {
    ShortcutLint.finding(
      .displayStringParameter, repeated, at: \.index,
      { [FindingValue("item", "donation"), FindingValue("index", $0.index)] + $0.parameters.values }
    ) { found, more in
      found.parameters.words(in: "donation \(found.index)", more)
    }
  }
}

extension Intent {
  /// The first string parameter that equals the display string of an object, person or place in another parameter.
  var repeatedDisplay: RepeatedDisplay? {
    for parameter in parameters {
      for text in parameter.value.elements.compactMap(\.plainText) where !text.isEmpty {
        let object = parameters.first { other in
          other.name != parameter.name && other.value.elements.contains { $0.display == text }
        }
        if let object { return RepeatedDisplay(string: parameter.name, object: object.name) }
      }
    }
    return nil
  }
}

extension ParameterValue {
  fileprivate var elements: [IntentValue] {
    switch self {
    case .single(let value): [value]
    case .array(let values): values
    }
  }
}

extension IntentValue {
  fileprivate var plainText: String? { if case .string(let text) = self { text } else { nil } }

  fileprivate var display: String? {
    switch self {
    case .object(let identity), .person(let identity): identity.display
    case .place(let place): place.display
    case .string, .integer, .double, .boolean, .date, .enumCase: nil
    }
  }
}
