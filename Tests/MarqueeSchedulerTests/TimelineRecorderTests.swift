import MarqueeModel
import MarqueeScheduler
import Testing

@Suite struct TimelineRecorderTests {
  /// Plays lines, and records the timelines of `cards` from the first one to the last one.
  private func recorded(
    _ text: String, of name: String = "cards", in family: WidgetFamily = .systemSmall
  ) throws -> [TimelineSpan] {
    var scene = try Scene()
    let instance = WidgetInstance(try scene.widget(name), in: family)
    var recorder: TimelineRecorder?
    for line in text.split(separator: "\n") {
      try scene.play(Script.Line(String(line)))
      if recorder == nil { recorder = TimelineRecorder(of: instance, on: scene.device) }
      recorder?.record(scene.device)
    }
    recorder?.end(scene.device)
    return recorder?.spans ?? []
  }

  /// The start, end, dates of entries and score at the start of each span.
  private func texts(_ spans: [TimelineSpan]) -> [String] {
    spans.map { span in
      let dates = span.hasTimeline ? span.entries.map { Scene.text($0.date) }.joined(separator: " ") : "none"
      let score = span.relevance.map { " \($0.inForce.score)" } ?? ""
      return "\(Scene.text(span.start))-\(Scene.text(span.end)) [\(dates)]\(score)"
    }
  }

  @Test("Each timeline has the span in which it was stored, its entries in it, and the relevance at its start")
  func spans() throws {
    let spans = try recorded(
      """
      6:00 publish cards 5:00=1 7:00=2 9:00=3
      8:00 publish cards 10:00=4
      11:00 publish cards 12:00=5 13:00=6
      12:30 publish cards
      14:00 publish cards 13:00=7 20:00=8
      15:00 score? cards
      """)
    #expect(
      texts(spans) == [
        "6:00-8:00 [5:00 7:00] 1.0", "8:00-11:00 [10:00] 2.0", "11:00-12:30 [12:00] 4.0", "12:30-14:00 [] 5.0",
        "14:00-15:00 [13:00] 7.0",
      ])
    #expect(zip(spans, spans.dropFirst()).allSatisfy { $0.end == $1.start })
  }

  @Test("Publications at one instant leave one span, and entries have no content")
  func sameInstant() throws {
    let spans = try recorded(
      """
      6:00 publish cards 6:00=1
      6:00 publish cards 6:00=2
      7:00 score? cards
      """)
    #expect(texts(spans) == ["6:00-7:00 [6:00] 2.0"])
    #expect(spans[0].entries.allSatisfy { $0.content == .empty })
  }

  @Test("A widget without a timeline, or that does not exist, has a span without one")
  func absent() throws {
    let late = try recorded("6:00 score? cards\n7:00 publish cards 8:00=1\n9:00 score? cards")
    #expect(texts(late) == ["6:00-7:00 [none]", "7:00-9:00 [8:00]"])
    let other = try recorded("6:00 publish cards 7:00=1\n9:00 score? cards", in: .systemLarge)
    #expect(texts(other) == ["6:00-9:00 [none]"])
    #expect(texts(try recorded("6:00 publish cards 7:00=1")) == ["6:00-6:00 []"])
  }

  @Test("The oldest spans are dropped if there are too many of them, or too many entries")
  func limits() throws {
    let count = TimelineRecorder.spanCountMax + 20
    let lines = (0...count).map { "\($0 / 60):\($0 % 60 < 10 ? "0" : "")\($0 % 60) publish cards 0:00=\($0 + 1)" }
    let spans = try recorded(lines.joined(separator: "\n"))
    #expect(spans.count == TimelineRecorder.spanCountMax)
    #expect(Scene.text(spans[0].start) == "0:21" && spans.last?.relevance?.inForce.score == Double(count + 1))
    func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    func entries(_ hour: Int) -> String {
      (0..<3_000).map { "\(hour):\(padded($0 / 60)):\(padded($0 % 60))=1" }.joined(separator: " ")
    }
    let large = try recorded(
      "0:00 publish cards \(entries(0))\n1:00 publish cards 1:00=1\n2:00 publish cards 2:00=1\n3:00 score? cards")
    #expect(large.map(\.entries.count) == [3_000, 1, 1])
    let two = try recorded(
      "0:00 publish cards \(entries(0))\n1:00 publish cards 0:59:59=1 \(entries(1))\n3:00 score? cards")
    #expect(two.map(\.entries.count) == [3_000] && two.map { Scene.text($0.start) } == ["1:00"])
  }
}
