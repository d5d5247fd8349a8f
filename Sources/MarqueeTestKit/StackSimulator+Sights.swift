public import MarqueeModel
import MarqueeSimulator

extension StackSimulator {
  /// A change of a stack's front widget decided by the engine.
  public struct Rotation: Hashable, Sendable {
    /// The device's local time, as `HH:MM` or, if not on the minute, `HH:MM:SS`.
    public let time: String
    /// The name of the stack.
    public let stack: String
    /// The name of the kind that became the front.
    public let kind: String
    /// Whether the widget is a suggestion.
    public let isSuggestion: Bool
    /// The decision, with its reasons.
    public let decision: Decision
  }

  /// All rotations so far, oldest first.
  public var rotations: [Rotation] {
    get async throws {
      var found: [Decision] = []
      repeat {
        let page = try await admin.decisions(on: id, before: found.last?.number, count: 1_000).decisions
        if page.isEmpty { break }
        found += page
      } while true
      return found.reversed().map { decision in
        Rotation(
          time: time(decision.at), stack: decision.stack.text, kind: decision.to.kind.name.text,
          isSuggestion: decision.kind == .suggestion, decision: decision)
      }
    }
  }

  /// Returns the name of the front widget's kind, now or at an earlier time.
  public func front(of stack: String, at time: String? = nil) async throws -> String? {
    try await explain(stack, at: time).front?.kind.name.text
  }

  /// Returns the content of a widget as text; `nil` if it has no entry yet. The widget may be named by its kind alone.
  ///
  /// With a stack, it is the content in the stack's family; otherwise, that in the first family with content. On a
  /// screen that others can read, a private entry has its redacted content, which may be empty.
  public func content(
    of widget: String, in stack: String? = nil, on screen: ScreenState = .unlocked
  ) async throws -> String? {
    let words = try WidgetText(widget)
    let stacks = try stack.map { [try StackID($0)] } ?? []
    var updates = try display.watch(id, stacks: stacks, on: screen).makeAsyncIterator()
    guard case .state(let state)? = try await updates.next()?.change else { return nil }
    let found = words.firstMeant(of: state.entries, by: \.widget)?.entry?.content
    return found.map { String(decoding: $0.bytes, as: UTF8.self) }
  }

  /// Explains a stack's front, now or at an earlier time.
  public func explain(_ stack: String, at time: String? = nil) async throws -> Explanation {
    try await admin.explanation(of: StackID(stack), on: id, at: time.map { try pastInstant($0) }).explanation
  }

  /// Explains which gates keep a widget from the front of a stack, now or at an earlier time. The widget may be named
  /// by its kind alone.
  public func whyNot(_ widget: String, in stack: String, at time: String? = nil) async throws -> WhyNot {
    let words = try WidgetText(widget)
    let known = words.firstMeant(of: try await admin.stacks(of: id).flatMap(\.members), by: \.self)
    let subject = if let known { known } else { try await self.widget(widget, registering: nil) }
    return try await admin.whyNot(subject, in: StackID(stack), on: id, at: time.map { try pastInstant($0) }).whyNot
  }

  private func time(_ instant: Instant) -> String {
    let text = clock.timeOfDay(instant)
    // In an hour that a clock change repeats, an offset follows.
    return text.count == 8 && text.hasSuffix(":00") ? String(text.dropLast(3)) : text
  }
}

extension WidgetText {
  /// Returns the first element whose widget the text names, qualified by its app or by its kind alone.
  ///
  /// A widget with exactly the configuration of the text precedes one with further parameters.
  func firstMeant<Element>(of elements: [Element], by widget: (Element) -> MarqueeModel.Widget) -> Element? {
    let named = elements.filter { [widget($0).kind.name.text, widget($0).kind.description].contains(name) }
    return selected(of: named, by: { widget($0).configuration }).first
  }
}
