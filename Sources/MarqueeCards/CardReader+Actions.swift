import MarqueeModel
import MarqueeSchema

extension CardReader {
  /// Reads actions. Those that are not shown are left out.
  mutating func actions(_ fields: CardFields, isOptional: Bool = false) throws(CardError) -> [Card.Action] {
    var actions: [Card.Action] = []
    for (index, node) in try fields.array("actions", of: "actions", isOptional: isOptional).enumerated() {
      if let action = try action(node, "\(fields.path(of: "actions"))[\(index)]", depth: 1) { actions.append(action) }
    }
    return actions
  }

  private mutating func action(_ node: JSONNode, _ path: String, depth: Int) throws(CardError) -> Card.Action? {
    try count(path)
    guard depth <= Card.depthMax else {
      throw CardError(path, "nested too deeply (card-depth-max: \(Card.depthMax))")
    }
    let fields = try CardFields(node, path, form: "an action")
    let effect: Card.Action.Effect
    switch try fields.string("type") {
    case "Action.OpenUrl": effect = .open(try link(fields))
    case "Action.Execute": effect = .perform(try performed(fields))
    default:
      guard let fallback = try fallback(fields) else { return nil }
      return try action(fallback, fields.path(of: "fallback"), depth: depth + 1)
    }
    return Card.Action(
      title: try title(fields), effect: effect, style: try fields.choice("style", default: .default))
  }

  private func title(_ fields: CardFields) throws(CardError) -> String {
    let title = try fields.string("title")
    guard title.contains(where: { !$0.isWhitespace }) else {
      throw .expected("a text that is not blank", at: fields.path(of: "title"))
    }
    return title
  }

  private func link(_ fields: CardFields) throws(CardError) -> EntryLink {
    let (path, url) = (fields.path(of: "url"), try fields.string("url"))
    let link: EntryLink
    do { link = try EntryLink(url) } catch { throw CardError(path, error.reason) }
    guard link.isSecure else { throw .expected("an https: URL", at: path) }
    return link
  }

  private func performed(_ fields: CardFields) throws(CardError) -> Intent {
    guard try fields.string("verb", form: "\"perform\"") == "perform" else {
      throw .expected("\"perform\"", at: fields.path(of: "verb"))
    }
    return try intent(fields)
  }

  /// Reads the intent in an element's or action's data.
  private func intent(_ fields: CardFields) throws(CardError) -> Intent {
    let data = try CardFields(fields["data"], fields.path(of: "data"), form: "an object with an intent")
    return try Intent(card: CardFields(data["intent"], data.path(of: "intent"), form: "an intent"))
  }

  func toggle(_ fields: CardFields) throws(CardError) -> Card.Toggle {
    let (path, id) = (fields.path(of: "id"), try fields.string("id"))
    let parameter: IntentParameter.Name
    do { parameter = try IntentParameter.Name(id) } catch {
      throw CardError(path, "expected a parameter's name: \(error.reason)")
    }
    let toggle = Card.Toggle(
      title: try title(fields), isOn: try isOn(fields), intent: try intent(fields), parameter: parameter)
    do { _ = try toggle.intent(isOn: true) } catch { throw CardError(fields.path(of: "data.intent"), "\(error)") }
    return toggle
  }

  private func isOn(_ fields: CardFields) throws(CardError) -> Bool {
    switch fields["value"] {
    case nil, .string("false")?, .boolean(false)?: return false
    case .string("true")?, .boolean(true)?: return true
    default: throw .expected("\"true\" or \"false\"", at: fields.path(of: "value"))
    }
  }
}
