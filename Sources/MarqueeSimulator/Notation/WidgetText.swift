import MarqueeModel

/// A widget in text form: `[DEVICE:][APP/]KIND[(PARAMETER=VALUE, …)]`.
///
/// A value is bare, or in double quotes (with `\"` and `\\` inside) if it contains one of `,()[]="` or has outer
/// spaces; an array is `[VALUE, VALUE]`. A value can be prefixed by its type, as in `city=object:cupertino`. A name
/// that contains a parenthesis is in double quotes in the same way: `"APP/KIND (beta)"`, after the device if there is
/// one.
package struct WidgetText: Equatable, Sendable {
  /// One parameter of the selection.
  package struct Parameter: Equatable, Sendable {
    /// The parameter's name.
    package let name: String
    /// The value, or the elements of the array.
    package let values: [WidgetValueText]
    /// Whether the value is an array.
    package let isArray: Bool
  }

  /// The names before the selection, as written.
  package let name: String
  /// The selection, or `nil` without parentheses.
  package let parameters: [Parameter]?

  /// Parses a widget. Throws a description of the error.
  package init(_ text: String) throws(RequestError) {
    if let quote = Self.quote(in: text) {
      var scanner = WidgetTextScanner(text[quote...])
      name = try String(text[..<quote]) + scanner.quoted()
      parameters = try scanner.selection()
      return
    }
    guard let open = text.firstIndex(of: "(") else {
      guard !text.isEmpty else { throw RequestError(.invalidArgument, "the widget name is empty") }
      if let close = text.firstIndex(of: ")") {
        throw RequestError(.invalidArgument, "\")\" at character \(Self.place(close, in: text)) closes no parenthesis")
      }
      (name, parameters) = (text, nil)
      return
    }
    guard text.last == ")" else {
      throw RequestError(
        .invalidArgument,
        "\"(\" at character \(Self.place(open, in: text)) is not closed by \")\" at the end of the text")
    }
    name = String(text[..<open])
    guard !name.isEmpty else { throw RequestError(.invalidArgument, "the kind before the parenthesis is missing") }
    var scanner = WidgetTextScanner(text[text.index(after: open)...].dropLast())
    parameters = try scanner.parameters()
  }

  /// Creates the text of a widget without a selection, whatever characters its name contains.
  package init(named name: String) { (self.name, parameters) = (name, nil) }

  /// Returns a name as the text of a widget has it before the selection: in quotes if that is necessary.
  package static func quoted(_ name: String) -> String {
    guard name.contains(where: { "()\"".contains($0) }) else { return name }
    return "\"" + name.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
  }

  /// Returns the quote that begins a name, at the start of the text or after the device, or `nil`.
  private static func quote(in text: String) -> String.Index? {
    guard let quote = text.firstIndex(of: "\""), !text[..<quote].contains("("),
      quote == text.startIndex || text[text.index(before: quote)] == ":"
    else { return nil }
    return quote
  }

  private static func place(_ index: String.Index, in text: String) -> Int {
    text.distance(from: text.startIndex, to: index) + 1
  }

  /// Whether the selection matches a configuration: every parameter in the selection must have the given value.
  package func selects(_ configuration: Intent?) -> Bool {
    guard let parameters else { return true }
    return parameters.allSatisfy { wanted in
      guard let found = configuration?.parameters.first(where: { $0.name.text.hasBytes(of: wanted.name) }) else {
        return false
      }
      switch found.value {
      case .single(let value): return !wanted.isArray && wanted.values.first?.means(value) == true
      case .array(let values):
        return wanted.isArray && values.count == wanted.values.count
          && zip(wanted.values, values).allSatisfy { $0.means($1) }
      }
    }
  }

  /// Returns the elements whose configurations the selection matches: the ones with no other parameters, if there are
  /// any. Otherwise, no text could name a widget whose configuration is part of another's.
  package func selected<Element>(of elements: [Element], by configuration: (Element) -> Intent?) -> [Element] {
    let matching = elements.filter { selects(configuration($0)) }
    let exact = matching.filter { configuration($0)?.parameters.count == parameters?.count }
    return exact.isEmpty || parameters == nil ? matching : exact
  }

  /// Returns the intent that the selection specifies completely.
  package func intent(of type: IntentType) throws(RequestError) -> Intent {
    do {
      var built: [IntentParameter] = []
      for parameter in parameters ?? [] {
        let values = try parameter.values.map { (text) throws(RequestError) in try text.value() }
        built.append(
          IntentParameter(
            name: try IntentParameter.Name(parameter.name),
            value: parameter.isArray ? .array(values) : .single(values[0])))
      }
      return try Intent(type: type, parameters: built)
    } catch {
      throw RequestError(.invalidArgument, "invalid selection in \"\(name)(…)\": \(error)")
    }
  }
}

/// Parses the text between the parentheses.
private struct WidgetTextScanner {
  private var rest: Substring

  init(_ text: Substring) {
    rest = text
  }

  /// Parses the selection in parentheses, or returns `nil` at the end of the text.
  mutating func selection() throws(RequestError) -> [WidgetText.Parameter]? {
    if rest.isEmpty { return nil }
    try expect("(")
    guard rest.popLast() == ")" else {
      throw RequestError(.invalidArgument, "\"(\" is not closed by \")\" at the end of the text")
    }
    return try parameters()
  }

  mutating func parameters() throws(RequestError) -> [WidgetText.Parameter] {
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

  private mutating func parameter(_ name: String) throws(RequestError) -> WidgetText.Parameter {
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

  private mutating func value() throws(RequestError) -> WidgetValueText {
    var type: WidgetValueText.ValueType?
    if rest.first != "\"", let colon = rest.firstIndex(of: ":"),
      let named = try WidgetValueText.ValueType(prefix: rest[..<colon])
    {
      type = named
      rest = rest[rest.index(after: colon)...]
    }
    return WidgetValueText(type: type, text: try text())
  }

  /// Parses a quoted or bare text; a bare one ends at a separator and is trimmed.
  private mutating func text() throws(RequestError) -> String {
    if rest.first == "\"" { return try quoted() }
    var text = ""
    while let character = rest.first, !",=()[]\"".contains(character) {
      text.append(character)
      rest.removeFirst()
    }
    while text.last == " " { text.removeLast() }
    return text
  }

  /// Parses a text in quotes.
  mutating func quoted() throws(RequestError) -> String {
    var text = ""
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
    throw RequestError(.invalidArgument, "unclosed quote")
  }

  private mutating func expect(_ character: Character) throws(RequestError) {
    guard rest.first == character else {
      throw RequestError(.invalidArgument, "\"\(character)\" is missing in the selection before \"\(rest.prefix(20))\"")
    }
    rest.removeFirst()
    skipSpaces()
  }

  private mutating func skipSpaces() {
    while rest.first == " " { rest.removeFirst() }
  }
}
