import MarqueeModel
import Testing

@testable import MarqueeWire

/// The summaries of explanations, obstacles and decisions on the wire.
@Suite struct SummaryNamesTests {
  private static let words = "represented by Blue card, which is in the same group"

  private let amex: Widget
  private let visa: Widget
  private let stack: StackID
  private let zone: TimeZoneID
  private let names: SentenceNames

  init() throws {
    let app = try AppID("com.example.cards")
    (stack, zone) = (try StackID("home"), try TimeZoneID("UTC"))
    amex = Widget(kind: WidgetKind(app: app, name: try KindName("Amex")))
    visa = Widget(kind: WidgetKind(app: app, name: try KindName("Visa")))
    names = SentenceNames([amex: ActionDisplay(title: "Gold card"), visa: ActionDisplay(title: "Blue card")])
  }

  /// An explanation of the front `visa`, which stands for the group of `amex`.
  private var explanation: Explanation {
    let closed = GateResult(.group, isPassed: false, measured: 0, required: 1)
    let candidate = Candidate(
      widget: amex, position: 1, isInFront: false, evidence: 1, signals: [], episodeStart: nil, gates: [closed],
      representative: visa)
    return Explanation(stack: stack, at: .min, front: visa, candidates: [candidate], chosen: nil)
  }

  /// Returns the encoding as text.
  private func text(_ response: some WireValue) -> String { String(decoding: response.wireBytes, as: UTF8.self) }

  @Test("X1 R10 The summaries of an explanation name widgets for the user")
  func explanations() throws {
    let plain = ExplainResponse(explanation: explanation, suggestions: explanation, timeZone: zone)
    var named = plain
    named.names = names
    let words = text(named)
    #expect(words.contains("Blue card stays; Gold card: \(Self.words)"))
    #expect(words.contains("Gold card is not suggested: \(Self.words)"))
    #expect(words.ranges(of: "Gold card: evidence 1; represented by Blue card").count == 2)
    #expect(text(plain).contains("Visa stays; Amex: represented by Visa, which is in the same group"))
    let decoded = try ExplainResponse(wireBytes: named.wireBytes)
    #expect(decoded == named)
  }

  @Test("R10 Summaries are made once, by the response that has the names of the widgets")
  func once() {
    #expect(text(explanation).contains("stays") == false)
    #expect(text(Obstacle.outranked(by: visa)).contains("comes first") == false)
    let decision = Decision(kind: .rotation, number: 7, to: visa, explanation: explanation)
    #expect(text(decision).ranges(of: "represented by Visa").count == 2)
  }

  @Test("X1 R10 The summaries of decisions name widgets for the user")
  func decisions() throws {
    let decision = Decision(kind: .rotation, number: 7, to: visa, explanation: explanation)
    let plain = ListDecisionsResponse(decisions: [decision], timeZone: zone)
    var named = plain
    named.names = names
    #expect(text(named).contains("Blue card stays; Gold card: \(Self.words)"))
    let decoded = try ListDecisionsResponse(wireBytes: named.wireBytes)
    #expect(decoded == named)
  }

  @Test("X1 R10 The summaries of obstacles name widgets for the user")
  func obstacles() throws {
    let obstacles: [Obstacle] = [.represented(by: visa), .covered(by: visa), .outranked(by: visa)]
    let whyNot = WhyNot(widget: amex, stack: stack, at: .min, obstacles: obstacles)
    let plain = WhyNotResponse(whyNot: whyNot, timeZone: zone)
    var named = plain
    named.names = names
    let words = text(named)
    #expect(words.contains(Self.words) && words.contains("it is behind the suggestion Blue card"))
    #expect(words.contains("Blue card comes first"))
    let decoded = try WhyNotResponse(wireBytes: named.wireBytes)
    #expect(decoded == named)
  }
}
