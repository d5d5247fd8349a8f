import MarqueeModel

/// A string parameter, and the one beside it whose display string it repeats.
struct RepeatedDisplay {
  let string: IntentParameter.Name
  let object: IntentParameter.Name

  /// What is wrong with it in `item`, and that it is so with `more`.
  func words(in item: String, _ more: String) -> String {
    "the string \(string) of \(item) is what is shown for \(object)\(more): "
      + "display strings are never compared but strings are, so that another wording is another intent"
  }
}

extension Intent {
  /// The first string parameter that is what is shown for an object, a person or a place in another parameter.
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
