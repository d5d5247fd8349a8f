import MarqueeModel

/// A widget as a person writes it: `[DEVICE:][APP/]KIND[(PARAMETER=VALUE, …)]`.
///
/// A value is bare, or in double quotes (with `\"` and `\\` inside) when it has one of `,()[]="` or outer spaces; an
/// array is `[VALUE, VALUE]`. The type of a value may be told in front, as in `city=object:cupertino`.
package struct WidgetText: Equatable, Sendable {
  /// One parameter of the selection.
  package struct Parameter: Equatable, Sendable {
    /// The parameter's name.
    package let name: String
    /// Its value, or the elements of the array.
    package let values: [WidgetValueText]
    /// Whether it is an array.
    package let isArray: Bool
  }

  /// What stands before the selection: names, as they were written.
  package let name: String
  /// The selection; `nil` without parentheses.
  package let parameters: [Parameter]?

  /// Reads a widget, or refuses it, saying what is wrong.
  package init(_ text: String) throws(Refusal) {
    guard let open = text.firstIndex(of: "("), text.last == ")" else {
      guard !text.isEmpty else { throw Refusal(.invalidArgument, "an empty name of a widget") }
      (name, parameters) = (text, nil)
      return
    }
    name = String(text[..<open])
    guard !name.isEmpty else { throw Refusal(.invalidArgument, "no kind stands before the parenthesis") }
    var scanner = WidgetTextScanner(text[text.index(after: open)...].dropLast())
    parameters = try scanner.parameters()
  }

  /// Whether the selection agrees with a configuration: every parameter named has that value; others are free.
  package func selects(_ configuration: Intent?) -> Bool {
    guard let parameters else { return true }
    return parameters.allSatisfy { wanted in
      guard let found = configuration?.parameters.first(where: { $0.name.text == wanted.name }) else { return false }
      switch found.value {
      case .single(let value): return !wanted.isArray && wanted.values.first?.means(value) == true
      case .array(let values):
        return wanted.isArray && values.count == wanted.values.count
          && zip(wanted.values, values).allSatisfy { $0.means($1) }
      }
    }
  }

  /// The intent that the selection spells out in full.
  package func intent(of type: IntentType) throws(Refusal) -> Intent {
    do {
      var built: [IntentParameter] = []
      for parameter in parameters ?? [] {
        let values = try parameter.values.map { (text) throws(Refusal) in try text.value() }
        built.append(
          IntentParameter(
            name: try IntentParameter.Name(parameter.name),
            value: parameter.isArray ? .array(values) : .single(values[0])))
      }
      return try Intent(type: type, parameters: built)
    } catch {
      throw Refusal(.invalidArgument, "the selection in \"\(name)(…)\" is wrong: \(error)")
    }
  }
}

/// Reads what stands between the parentheses.
private struct WidgetTextScanner {
  private var rest: Substring

  init(_ text: Substring) {
    rest = text
  }

  mutating func parameters() throws(Refusal) -> [WidgetText.Parameter] {
    var found: [WidgetText.Parameter] = []
    skipSpaces()
    while !rest.isEmpty {
      if !found.isEmpty { try expect(",") }
      let name = try text()
      try expect("=")
      found.append(try parameter(name))
    }
    return found
  }

  private mutating func parameter(_ name: String) throws(Refusal) -> WidgetText.Parameter {
    guard rest.first == "[" else {
      return WidgetText.Parameter(name: name, values: [try value()], isArray: false)
    }
    rest.removeFirst()
    skipSpaces()
    var values: [WidgetValueText] = []
    while rest.first != "]" {
      if !values.isEmpty { try expect(",") }
      values.append(try value())
    }
    try expect("]")
    return WidgetText.Parameter(name: name, values: values, isArray: true)
  }

  private mutating func value() throws(Refusal) -> WidgetValueText {
    var type: WidgetValueText.ValueType?
    if let colon = rest.firstIndex(of: ":"), let named = WidgetValueText.ValueType(rawValue: String(rest[..<colon])) {
      type = named
      rest = rest[rest.index(after: colon)...]
    }
    return WidgetValueText(type: type, text: try text())
  }

  /// A quoted or bare text; a bare one goes on to a sign that separates, and loses outer spaces.
  private mutating func text() throws(Refusal) -> String {
    var text = ""
    if rest.first == "\"" {
      rest.removeFirst()
      while let character = rest.popFirst() {
        if character == "\"" {
          skipSpaces()
          return text
        }
        guard character == "\\" else {
          text.append(character)
          continue
        }
        guard let escaped = rest.popFirst() else { break }
        text.append(escaped)
      }
      throw Refusal(.invalidArgument, "a quote is not closed")
    }
    while let character = rest.first, !",=[]\"".contains(character) {
      text.append(character)
      rest.removeFirst()
    }
    while text.last == " " { text.removeLast() }
    return text
  }

  private mutating func expect(_ character: Character) throws(Refusal) {
    guard rest.first == character else {
      throw Refusal(.invalidArgument, "\"\(character)\" is missing in the selection before \"\(rest.prefix(20))\"")
    }
    rest.removeFirst()
    skipSpaces()
  }

  private mutating func skipSpaces() {
    while rest.first == " " { rest.removeFirst() }
  }
}
