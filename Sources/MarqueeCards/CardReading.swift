import MarqueeModel
import MarqueeSchema

/// A card that was read from its JSON text, and the parts of it that displays do not show.
public struct CardReading: Sendable {
  /// The version of the format.
  public static let version = "1.5"
  /// The maximum nesting of objects and arrays in a text; tables take six for each level of elements.
  static let nestingMax = 128
  /// The maximum number of warnings.
  public static let warningCountMax = 16

  /// The card.
  public let card: Card
  /// The parts that are not shown, at most ``warningCountMax`` of them.
  public let warnings: [CardWarning]

  /// Reads a card.
  ///
  /// Unknown members are ignored. An unknown element or action is replaced by its fallback or left out.
  ///
  /// - Throws: ``CardError`` with the path of the first invalid value.
  public init(_ text: [UInt8]) throws(CardError) {
    guard text.count <= Card.sizeMax else {
      throw CardError("", "card of \(text.count) bytes exceeds the limit (card-size-max: \(Card.sizeMax))")
    }
    guard let string = String(validating: text, as: UTF8.self), string.isStreamSafeSource else {
      throw CardError("", "expected UTF-8 with at most 30 consecutive combining marks")
    }
    let node: JSONNode
    do { node = try JSONNode(text, depthMax: Self.nestingMax) } catch { throw CardError("", error.description) }
    var reader = CardReader()
    card = try reader.card(node)
    warnings = reader.warnings
  }
}

/// Reads the elements of a card, and counts them.
struct CardReader {
  private(set) var warnings: [CardWarning] = []
  private var elementCount = 0

  mutating func card(_ node: JSONNode) throws(CardError) -> Card {
    let fields = try CardFields(node, "")
    guard try fields.string("type", form: "\"AdaptiveCard\"") == "AdaptiveCard" else {
      throw .expected("\"AdaptiveCard\"", at: "type")
    }
    try checkVersion(fields)
    let body = try elements(fields, "body", depth: 1, isOptional: true)
    let actions = try actions(fields, isOptional: true)
    return Card(body: body, actions: actions, fallbackText: try fields.optionalString("fallbackText") ?? "")
  }

  private mutating func checkVersion(_ fields: CardFields) throws(CardError) {
    let parts = try fields.string("version").split(separator: ".", omittingEmptySubsequences: false).map { Int($0) }
    guard parts.count == 2, let major = parts[0], let minor = parts[1], major >= 0, minor >= 0 else {
      throw .expected("a version such as \"\(CardReading.version)\"", at: "version")
    }
    if (major, minor) > (1, 5) { warn(.laterVersion, "version") }
  }

  mutating func warn(_ kind: CardWarning.Kind, _ path: String) {
    guard warnings.count < CardReading.warningCountMax else { return }
    warnings.append(CardWarning(kind: kind, path: path))
  }

  /// Counts an element of the card.
  mutating func count(_ path: String) throws(CardError) {
    elementCount += 1
    guard elementCount <= Card.elementCountMax else {
      throw CardError(path, "too many elements (card-element-count-max: \(Card.elementCountMax))")
    }
  }

  /// Reads the elements of an array. Those that are not shown are left out.
  mutating func elements(
    _ fields: CardFields, _ name: String, depth: Int, isOptional: Bool = false
  ) throws(CardError) -> [Card.Element] {
    var elements: [Card.Element] = []
    for (index, node) in try fields.array(name, of: "elements", isOptional: isOptional).enumerated() {
      let path = "\(fields.path(of: name))[\(index)]"
      if let element = try element(node, path, depth: depth) { elements.append(element) }
    }
    return elements
  }

  /// Reads an element; `nil` if it is not shown.
  mutating func element(_ node: JSONNode, _ path: String, depth: Int) throws(CardError) -> Card.Element? {
    try count(path)
    guard depth <= Card.depthMax else {
      throw CardError(path, "nested too deeply (card-depth-max: \(Card.depthMax))")
    }
    let fields = try CardFields(node, path, form: "an element")
    let isVisible = try fields.boolean("isVisible", default: true)
    guard let element = try known(fields, depth: depth) else {
      guard let fallback = try fallback(fields) else { return nil }
      let element = try element(fallback, fields.path(of: "fallback"), depth: depth + 1)
      return isVisible ? element : nil
    }
    return isVisible ? element : nil
  }

  /// Reads an element of the subset; `nil` if its type is another.
  private mutating func known(_ fields: CardFields, depth: Int) throws(CardError) -> Card.Element? {
    switch try fields.string("type") {
    case "TextBlock": .text(try textBlock(fields))
    case "RichTextBlock": .richText(try richText(fields))
    case "Image": .image(try image(fields))
    case "Container": .container(try container(fields, depth: depth))
    case "ColumnSet": .columns(try columns(fields, depth: depth))
    case "FactSet": .facts(try facts(fields))
    case "Table": .table(try table(fields, depth: depth))
    case "ActionSet": .actions(try actions(fields))
    case "Input.Toggle": .toggle(try toggle(fields))
    default: nil
    }
  }

  /// Returns the fallback of an unknown element or action; `nil` if it is left out.
  mutating func fallback(_ fields: CardFields) throws(CardError) -> JSONNode? {
    switch fields["fallback"] {
    case nil:
      warn(.unknownElement, fields.path)
      return nil
    case .string("drop")?: return nil
    case .object?: return fields["fallback"]
    default: throw .expected("\"drop\" or an object", at: fields.path(of: "fallback"))
    }
  }
}
