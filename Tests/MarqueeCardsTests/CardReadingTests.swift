import MarqueeCards
import MarqueeModel
import Testing

@Suite struct CardReadingTests {
  @Test("Every element of the subset is read")
  func elements() throws {
    let reading = try Sample.reading(Sample.everything)
    #expect(reading.warnings.isEmpty)
    let card = reading.card
    #expect(card.fallbackText == "Bus 100 at 9:05")
    guard card.body.count == 9, case .text(let title) = card.body[0], case .table(let table) = card.body[6],
      case .toggle(let toggle) = card.body[8]
    else {
      Issue.record("\(card.body)")
      return
    }
    #expect(title.style == Card.TextStyle(size: .large, weight: .bolder, color: .accent, isSubtle: true))
    #expect(title.wraps && title.lineCountMax == 2 && title.alignment == .center)
    #expect(table.columns == [.weight(2), .auto] && table.rows.count == 2 && table.hasHeader)
    #expect(toggle.isOn && toggle.parameter.text == "isDone")
    let off = try toggle.intent(isOn: false)
    #expect(off.parameters.map(\.name.text) == ["count", "isDone"])
    #expect(off.parameters.last?.value == .single(.boolean(false)))
    #expect(card.actions.map(\.title) == ["Map", "Remind me"])
    guard case .perform(let intent) = card.actions[1].effect else {
      Issue.record("\(card.actions)")
      return
    }
    #expect(intent.parameters.count == 10)
  }

  @Test("A card that is written is read as an equal card")
  func roundTrip() throws {
    let card = try Sample.reading(Sample.everything).card
    #expect(try CardReading(card.json).card == card)
    #expect(try CardReading(Card(body: []).json).card == Card(body: []))
  }

  @Test("An error names the path of the value and the expected form", arguments: Sample.invalid)
  func errors(invalid: Sample.Invalid) {
    #expect(Sample.error(invalid.text) == invalid.error)
  }

  @Test("An unknown element or action is replaced by its fallback, or left out with a warning")
  func fallbacks() throws {
    let reading = try Sample.reading(
      #"""
      {"type": "AdaptiveCard", "version": "1.6", "body": [
        {"type": "Media", "fallback": {"type": "Chart", "fallback": {"type": "TextBlock", "text": "a"}}},
        {"type": "Media", "fallback": "drop"}, {"type": "Media"},
        {"type": "TextBlock", "text": "hidden", "isVisible": false},
        {"type": "Image", "url": "https://example.com/a.png", "altText": "b"}
      ], "actions": [{"type": "Action.Submit", "title": "c"}]}
      """#)
    #expect(
      reading.card == Card(body: [.text(Card.TextBlock("a")), .image(Card.Image(source: nil, altText: "b"))]))
    #expect(
      reading.warnings.map(\.description) == [
        "version: later than 1.5", "body[2]: unknown type without a fallback, which is not shown",
        "body[4].url: remote image, which is not loaded: use a data: URL",
        "actions[0]: unknown type without a fallback, which is not shown",
      ])
  }

  @Test("The number of warnings is limited")
  func warningCount() throws {
    let elements = Array(repeating: #"{"type": "Media"}"#, count: 200).joined(separator: ",")
    #expect(try Sample.reading(Sample.card(elements)).warnings.count == CardReading.warningCountMax)
  }

  @Test("Elements are nested 16 levels deep at most, in every kind of group")
  func depth() throws {
    let groups: [(start: String, end: String)] = [
      (#"{"type":"Container","items":["#, "]}"),
      (#"{"type":"ColumnSet","columns":[{"items":["#, "]}]}"),
      (#"{"type":"Table","columns":[{}],"rows":[{"cells":[{"items":["#, "]}]}]}"),
      (#"{"type":"Media","fallback":"#, "}"),
    ]
    for group in groups {
      func nested(_ count: Int) -> String {
        Sample.card(
          String(repeating: group.start, count: count) + #"{"type":"TextBlock","text":"a"}"#
            + String(repeating: group.end, count: count))
      }
      #expect(Sample.error(nested(15)) == "none")
      #expect(Sample.error(nested(16)).hasSuffix(": nested too deeply (card-depth-max: 16)"))
      #expect(Sample.error(nested(600)).contains("nested too deeply"))
    }
    #expect(
      Sample.error(Sample.card("", actions: String(repeating: #"{"type":"A","fallback":"#, count: 40)))
        .contains("malformed JSON"))
  }

  @Test("The size of a card and the number of its elements are limited")
  func limits() {
    let text = #"{"type":"TextBlock","text":"a"}"#
    func card(_ count: Int) -> String { Sample.card(Array(repeating: text, count: count).joined(separator: ",")) }
    #expect(Sample.error(card(256)) == "none")
    #expect(Sample.error(card(257)) == "body[256]: too many elements (card-element-count-max: 256)")
    let facts = Array(repeating: #"{"title":"a","value":"b"}"#, count: 256).joined(separator: ",")
    #expect(
      Sample.error(Sample.card(#"{"type":"FactSet","facts":[\#(facts)]}"#))
        == "body[0].facts[255]: too many elements (card-element-count-max: 256)")
    let long = Sample.card(#"{"type":"TextBlock","text":"\#(String(repeating: "a", count: 65_536))"}"#)
    #expect(
      Sample.error(long) == "card of \(long.utf8.count) bytes exceeds the limit (card-size-max: 65536)")
  }

  @Test("Text that is not UTF-8, not JSON, or slow to normalize is not a card")
  func malformed() {
    #expect(Sample.error("") == "malformed JSON at byte 0: expected a number")
    #expect(Sample.error("[]") == "expected an object")
    #expect(Sample.error(#"{"type": "AdaptiveCard"} 1"#) == "malformed JSON at byte 25: expected the end of the text")
    #expect(Sample.error(#"{"type": 1, "type": 2}"#) == "duplicate key")
    let marks = String(repeating: "\u{301}", count: 31)
    let form = "expected UTF-8 with at most 30 consecutive combining marks"
    #expect(Sample.error(Sample.card(#"{"type":"TextBlock","text":"\#(marks)"}"#)) == form)
    #expect(throws: CardError.self) { try CardReading([0x22, 0xFF, 0x22]) }
  }

  @Test("A card with random changes is rejected, or read and rendered within the limits", arguments: UInt64(1)...50)
  func mutations(seed: UInt64) {
    var state = seed
    func next(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % bound
    }
    let bytes = Array(Sample.everything.utf8)
    for _ in 0..<20 {
      var changed = bytes
      for _ in 0...next(3) {
        let (start, target) = (next(bytes.count), next(bytes.count))
        switch next(3) {
        case 0: changed[start] = UInt8(next(256))
        case 1: changed.removeSubrange(start..<min(changed.count, start + next(40)))
        default: changed.insert(contentsOf: bytes[start..<min(bytes.count, start + next(200))], at: target)
        }
        guard changed.count > bytes.count / 2 else { break }
        changed += Array(repeating: 0x20, count: max(0, bytes.count - changed.count))
      }
      guard let reading = try? CardReading(changed) else { continue }
      #expect(reading.card.text(width: 20).allSatisfy { $0.columnCount <= 20 })
      guard !reading.warnings.contains(where: { $0.kind == .remoteImage }) else { continue }
      #expect((try? CardReading(reading.card.json))?.card == reading.card)
    }
  }

  @Test("The media type has parameters and letters of either case, and is otherwise exact")
  func mediaType() {
    #expect(Card.isMediaType(Card.mediaType) && Card.isMediaType("Application/VND.Microsoft.Card.Adaptive; a=b"))
    for other in ["", "application/json", Card.mediaType + "x", String(Card.mediaType.dropLast())] {
      #expect(!Card.isMediaType(other))
    }
  }
}
