import MarqueeModel
import MarqueeSchema

extension Card {
  /// The card as JSON text. ``CardReading`` reads an equal card from it if the card is within the limits.
  public var json: [UInt8] {
    var members = [
      JSONNode.Member("type", "AdaptiveCard"), .init("version", .string(CardReading.version)),
      .init("body", .array(body.map(\.json))),
    ]
    if !actions.isEmpty { members.append(.init("actions", .array(actions.map(\.json)))) }
    if !fallbackText.isEmpty { members.append(.init("fallbackText", .string(fallbackText))) }
    return JSONNode.object(members).text
  }
}

extension JSONNode: ExpressibleByStringLiteral {
  package init(stringLiteral value: String) { self = .string(value) }

  /// An object with a type, without the members that have their default value.
  fileprivate static func element(_ type: String?, _ members: [Member?]) -> JSONNode {
    .object((type.map { [Member("type", .string($0))] } ?? []) + members.compactMap(\.self))
  }
}

extension JSONNode.Member {
  fileprivate static func choice<Choice: RawRepresentable<String>>(
    _ name: String, _ value: Choice, default other: Choice
  ) -> JSONNode.Member? {
    value.rawValue == other.rawValue ? nil : JSONNode.Member(name, .string(value.rawValue))
  }

  fileprivate static func flag(_ name: String, _ value: Bool, default other: Bool = false) -> JSONNode.Member? {
    value == other ? nil : JSONNode.Member(name, .boolean(value))
  }
}

extension Card.Element {
  fileprivate var json: JSONNode {
    switch self {
    case .text(let text): text.json
    case .richText(let text):
      .element(
        "RichTextBlock",
        [
          .init("inlines", .array(text.runs.map(\.json))),
          .choice("horizontalAlignment", text.alignment, default: .left),
        ])
    case .image(let image): image.json
    case .container(let container): container.json("Container")
    case .columns(let columns): .element("ColumnSet", [.init("columns", .array(columns.map(\.json)))])
    case .facts(let facts):
      .element(
        "FactSet",
        [
          .init(
            "facts",
            .array(
              facts.map { fact in
                .element(nil, [.init("title", .string(fact.title)), .init("value", .string(fact.value))])
              }))
        ])
    case .table(let table): table.json
    case .actions(let actions): .element("ActionSet", [.init("actions", .array(actions.map(\.json)))])
    case .toggle(let toggle): toggle.json
    }
  }
}

extension Card.TextBlock {
  fileprivate var json: JSONNode {
    .element(
      "TextBlock",
      [.init("text", .string(text))] + style.members + [
        .flag("wrap", wraps), lineCountMax.map { .init("maxLines", .integer(Int64($0))) },
        .choice("horizontalAlignment", alignment, default: .left),
      ])
  }
}

extension Card.TextRun {
  fileprivate var json: JSONNode { .element("TextRun", [.init("text", .string(text))] + style.members) }
}

extension Card.TextStyle {
  fileprivate var members: [JSONNode.Member?] {
    [
      .choice("size", size, default: .default), .choice("weight", weight, default: .default),
      .choice("color", color, default: .default), .flag("isSubtle", isSubtle),
    ]
  }
}

extension Card.Image {
  /// The image as JSON. One elsewhere has no address any more, so that it is a text.
  fileprivate var json: JSONNode {
    guard let source else { return Card.TextBlock(altText).json }
    return .element(
      "Image",
      [
        .init("url", .string(source)), altText.isEmpty ? nil : .init("altText", .string(altText)),
        .choice("size", size, default: .auto),
      ])
  }
}

extension Card.Container {
  fileprivate func json(_ type: String) -> JSONNode {
    .element(type, [.init("items", .array(items.map(\.json))), .choice("style", style, default: .default)])
  }
}

extension Card.Column {
  fileprivate var json: JSONNode {
    .element(
      "Column",
      [
        .init("items", .array(items.map(\.json))), width == .stretch ? nil : .init("width", width.json),
        .choice("style", style, default: .default),
      ])
  }
}

extension Card.ColumnWidth {
  fileprivate var json: JSONNode {
    switch self {
    case .auto: "auto"
    case .stretch: "stretch"
    case .weight(let weight): .integer(Int64(weight))
    }
  }
}

extension Card.Table {
  fileprivate var json: JSONNode {
    let rows = rows.map { row in
      JSONNode.element("TableRow", [.init("cells", .array(row.cells.map { $0.json("TableCell") }))])
    }
    return .element(
      "Table",
      [
        .init("columns", .array(columns.map { .element(nil, [.init("width", $0.json)]) })),
        .init("rows", .array(rows)), .flag("firstRowAsHeader", hasHeader, default: true),
      ])
  }
}

extension Card.Action {
  fileprivate var json: JSONNode {
    let style: JSONNode.Member? = .choice("style", style, default: .default)
    switch effect {
    case .open(let link):
      return .element(
        "Action.OpenUrl", [.init("title", .string(title)), .init("url", .string(link.text)), style])
    case .perform(let intent):
      return .element(
        "Action.Execute",
        [.init("title", .string(title)), .init("verb", "perform"), .init("data", intent.dataJSON), style])
    }
  }
}

extension Card.Toggle {
  fileprivate var json: JSONNode {
    .element(
      "Input.Toggle",
      [
        .init("id", .string(parameter.text)), .init("title", .string(title)),
        .init("value", isOn ? "true" : "false"), .init("data", intent.dataJSON),
      ])
  }
}

extension Intent {
  fileprivate var dataJSON: JSONNode { .object([.init("intent", cardJSON)]) }
}
