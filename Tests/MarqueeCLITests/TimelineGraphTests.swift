import Foundation
import FoundationXML
import MarqueeModel
import MarqueeSimulator
import Testing

@testable import MarqueeCLI

struct TimelineGraphTests {
  static let berlin = DeviceClock(zone: TimeZone(identifier: "Europe/Berlin") ?? .gmt)

  @Test("A duration ends a score, an entry without relevance leaves it, and the next one replaces it (T3)")
  func segmentsFollowTheRules() throws {
    let graph = try Self.cards()
    let spans = graph.segments.map { span in
      "\(Self.berlin.hourAndMinute(span.start))-\(Self.berlin.hourAndMinute(span.end)) \(span.score)"
    }
    #expect(
      spans == [
        "00:00-07:00 0.0", "07:00-09:00 40.0", "09:00-11:30 0.0", "11:30-13:00 100.0", "13:00-18:00 10.0",
        "18:00-20:00 0.0", "20:00-00:00 5.0",
      ])
    #expect(graph.windows.map { Self.berlin.hourAndMinute($0.end) } == ["09:00", "13:00"])
    #expect(graph.marks.map(\.score) == [40, 100, nil, 10, 0, 5])
  }

  @Test("The relevance in force from a dropped timeline lasts until the first entry (T4)")
  func inForceFromBefore() throws {
    let graph = TimelineGraph(
      title: "t", entries: [try Self.entry(12, 0, 1, 0)],
      inForce: RelevanceInForce(score: 3, start: try Self.at(-5, 0), end: try Self.at(2, 0)),
      day: try Self.at(12, 0), now: try Self.at(1, 0), clock: Self.berlin)
    #expect(graph.segments.map(\.score) == [3, 0, 1])
    #expect(graph.segments.first?.end == (try Self.at(2, 0)))
  }

  @Test("Replaced timelines are drawn over their spans, and the current one from then on")
  func pastTimelines() throws {
    func span(_ from: Int, _ to: Int, _ score: Double?, _ entries: [TimelineEntry]?) throws -> TimelineSpan {
      let relevance = try score.map { score in
        RelevanceStatus(
          inForce: RelevanceInForce(score: score, start: try Self.at(from - 1, 0), end: nil), effectiveScore: score,
          reference: score)
      }
      return TimelineSpan(
        start: try Self.at(from, 0), end: try Self.at(to, 0), hasTimeline: entries != nil, entries: entries ?? [],
        relevance: relevance)
    }
    let past = [
      try span(2, 5, nil, nil), try span(5, 8, nil, [Self.entry(6, 0, 3, 0), Self.entry(7, 0, 4, 120)]),
      try span(8, 10, 4, [Self.entry(9, 0, 1, 30)]),
    ]
    let graph = TimelineGraph(
      title: "t", entries: [try Self.entry(9, 0, 1, 30), try Self.entry(20, 0, 2, 0)], inForce: nil, past: past,
      day: try Self.at(12, 0), now: try Self.at(10, 0), clock: Self.berlin)
    let spans = graph.segments.map { span in
      "\(Self.berlin.hourAndMinute(span.start))-\(Self.berlin.hourAndMinute(span.end)) \(span.score)"
    }
    #expect(
      spans == [
        "00:00-06:00 0.0", "06:00-07:00 3.0", "07:00-09:00 4.0", "09:00-09:30 1.0", "09:30-20:00 0.0",
        "20:00-00:00 2.0",
      ])
    #expect(graph.marks.map(\.score) == [3, 4, 1, 2])
    #expect(graph.windows.map { Self.berlin.hourAndMinute($0.end) } == ["08:00", "09:30"])
    #expect(graph.segments.first?.start == graph.start && graph.segments.last?.end == graph.end)
  }

  @Test("W4 An expiry ends a score until the next one, and is marked; one that the next entry precedes is not")
  func expiries() throws {
    func entry(_ hour: Int, _ score: Double?, expires: Int) throws -> TimelineEntry {
      try TimelineEntry(
        date: Self.at(hour, 0), relevance: score.map { try TimelineEntryRelevance(score: $0) },
        details: EntryDetails(expiry: Self.at(expires, 0)))
    }
    let entries = [
      try entry(6, 2, expires: 9), try entry(8, nil, expires: 10), try Self.entry(12, 0, nil, 0),
      try entry(14, 3, expires: 16),
    ]
    let graph = TimelineGraph(
      title: "t", entries: entries, inForce: nil, day: try Self.at(12, 0), now: try Self.at(17, 0), clock: Self.berlin)
    let spans = graph.segments.map { span in
      "\(Self.berlin.hourAndMinute(span.start))-\(Self.berlin.hourAndMinute(span.end)) \(span.score)"
    }
    #expect(spans == ["00:00-06:00 0.0", "06:00-10:00 2.0", "10:00-14:00 0.0", "14:00-16:00 3.0", "16:00-00:00 0.0"])
    #expect(try graph.expiries == [Self.at(10, 0), Self.at(16, 0)] && graph.expired == Self.at(16, 0))
    let lines = graph.terminalLines(width: 80)
    #expect(lines.contains { $0.contains("✕ expiry") })
    #expect(lines.last == "The current entry expired at 16:00:00: nothing counts until the next one.")
    let document = try XMLDocument(data: Data(graph.svg.utf8), options: [])
    let description = document.rootElement()?.elements(forName: "desc").first?.stringValue
    #expect(description?.hasSuffix("The current entry expired at 16:00:00.") == true)
    let earlier = TimelineGraph(
      title: "t", entries: [try entry(6, nil, expires: 9)],
      inForce: RelevanceInForce(score: 3, start: try Self.at(2, 0), end: nil), day: try Self.at(12, 0),
      now: try Self.at(7, 0), clock: Self.berlin)
    #expect(earlier.segments.map(\.score) == [0, 3, 0] && earlier.expired == nil)
  }

  @Test("Days of 23 and of 25 hours are drawn completely")
  func changesOfTheClock() throws {
    for (month, day, hours) in [(3, 29, 23), (10, 25, 25)] {
      let noon = try #require(Self.berlin.instant(year: 2026, month: month, day: day, hour: 12))
      let graph = TimelineGraph(title: "t", entries: [], inForce: nil, day: noon, now: noon, clock: Self.berlin)
      #expect(graph.start.span(to: graph.end) == .hours(Int64(hours)))
      #expect(graph.segments == [.init(start: graph.start, end: graph.end, score: 0)])
      #expect(graph.hours(every: 1).count == 24)
      #expect(graph.terminalLines(width: 80).last?.hasPrefix("No score above zero") == true)
    }
  }

  @Test("The terminal chart matches the reviewed snapshot")
  func terminalPicture() throws {
    let lines = try Self.cards().terminalLines(width: 64)
    #expect(lines == Self.picture.split(separator: "\n", omittingEmptySubsequences: false).map(String.init))
    #expect(lines.allSatisfy { $0.count <= 64 })
  }

  @Test("Scores up to the largest double are drawn, and control characters of names are escaped")
  func greatestScores() throws {
    let (most, least) = (Double.greatestFiniteMagnitude, Double.leastNonzeroMagnitude)
    for scores in [[most, -most], [most, most], [-most, least], [least, -least]] {
      let entries = try zip([8, 12], scores).map { try Self.entry($0, 0, $1, 60) }
      let graph = TimelineGraph(
        title: "a\u{1B}[2J\u{202E}b\u{FFFE}", entries: entries, inForce: nil, day: try Self.at(12, 0),
        now: try Self.at(12, 30), clock: Self.berlin)
      _ = try XMLDocument(data: Data(graph.svg.utf8), options: [])
      #expect(graph.svg.contains("a\\u{1B}[2J\\u{202E}b?"))
      #expect(!graph.svg.contains("inf\"") && !graph.svg.contains("nan"))
      #expect(!graph.terminalLines(width: 80).isEmpty)
      _ = try PNGImage(svg: graph.svg, size: TimelineGraph.drawingSize, scale: 1)
    }
  }

  @Test("The SVG is well-formed and has a title and a textual description")
  func wellFormedSVG() throws {
    let svg = try Self.cards(title: "Cards & <more> \"quoted\"").svg
    let document = try XMLDocument(data: Data(svg.utf8), options: [])
    let root = try #require(document.rootElement())
    #expect(root.name == "svg")
    #expect(root.attributes?.first { $0.name == "role" }?.stringValue == "img")
    #expect(root.elements(forName: "title").first?.stringValue == "Cards & <more> \"quoted\"")
    #expect(root.elements(forName: "desc").first?.stringValue?.contains("100 from 11:30 to 13:00") == true)
    #expect(root.elements(forName: "circle").count == 6 + 2)
    #expect(!svg.contains("nan") && !svg.contains("inf"))
  }

  @Test("Scores of any size are drawn within the plot", arguments: [1e-300, 1e-9, 0.3, 7, 123_456, 1e15, 1e300, -4])
  func anyScale(_ score: Double) throws {
    let relevance = try TimelineEntryRelevance(score: score)
    let graph = TimelineGraph(
      title: "t", entries: [TimelineEntry(date: try Self.at(6, 0), relevance: relevance)], inForce: nil,
      day: try Self.at(6, 0), now: try Self.at(8, 0), clock: Self.berlin)
    let svg = graph.svg
    _ = try XMLDocument(data: Data(svg.utf8), options: [])
    #expect(!svg.contains("nan") && !svg.contains("inf"))
    let ys = svg.matches(of: /<line x1="72" y1="([0-9.-]+)"/).compactMap { Double($0.1) }
    #expect(!ys.isEmpty && ys.allSatisfy { (67...331).contains($0) })
  }

  @Test("The PNG has the signature and the requested size")
  func pngFile() throws {
    let size = TimelineGraph.drawingSize
    let image = try PNGImage(svg: try Self.cards().svg, size: size, scale: 2)
    #expect(image.bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]))
    func number(at index: Int) -> Int { image.bytes[index..<index + 4].reduce(0) { $0 << 8 | Int($1) } }
    #expect(number(at: 16) == size.width * 2 && number(at: 20) == size.height * 2)
    #expect(throws: CommandFailure.self) { try PNGImage(svg: "<svg", size: size, scale: 1) }
  }

  private static func at(_ hour: Int, _ minute: Int) throws -> Instant {
    let midnight = try #require(berlin.instant(year: 2026, month: 6, day: 7))
    return midnight.advanced(by: .minutes(Int64(hour * 60 + minute)))
  }

  private static func entry(_ hour: Int, _ minute: Int, _ score: Double?, _ minutes: Int64) throws -> TimelineEntry {
    TimelineEntry(
      date: try at(hour, minute),
      relevance: try score.map { try TimelineEntryRelevance(score: $0, duration: .minutes(minutes)) })
  }

  private static func cards(title: String = "home:com.example.cafe/Cards") throws -> TimelineGraph {
    TimelineGraph(
      title: title,
      entries: [
        try entry(7, 0, 40, 120), try entry(11, 30, 100, 90), try entry(12, 0, nil, 0), try entry(13, 0, 10, 0),
        try entry(18, 0, 0, 0), try entry(20, 0, 5, 0),
      ], inForce: nil, day: try at(9, 0), now: try at(14, 5), clock: berlin)
  }

  private static let picture = """
    home:com.example.cafe/Cards

    100 ┤                            ████  ┊
        ┤                            ████  ┊
        ┤                            ████  ┊
        ┤                            ████  ┊
     50 ┤                 ▂▂▂▂▂▂     ████  ┊
        ┤                 ██████     ████  ┊
        ┤                 ██████     ████  ┊
      0 ┤                 ██████     ████▆▆▆▆▆▆▆▆▆▆▆▆▆    ▃▃▃▃▃▃▃▃▃▃
        └┴─┴─┴──┴─┴──┴─┴──┴─┴──┴─┴──┴─┴─┴──┴─┴──┴─┴──┴─┴──┴─┴──┴─┴──
         00     03     06      09     12     15      18     21
                          •━━━━━     ••━•  ▲         •    •
    • entry   ━ window   ▲ now, 14:05:00
    """
}
