import MarqueeModel
import MarqueeTestSupport
import Testing

@Suite struct TimelineTests {
  private func entry(_ milliseconds: Int64, _ mark: UInt8) throws -> TimelineEntry {
    TimelineEntry(
      date: try #require(Instant(milliseconds: milliseconds)),
      content: try EntryContent(mediaType: "", bytes: [mark]))
  }

  @Test("T2 Entries are sorted, and of entries with equal dates the last one is kept")
  func sorting() throws {
    let sent = [try entry(5, 1), try entry(3, 2), try entry(5, 3), try entry(1, 4), try entry(3, 5), try entry(5, 6)]
    let timeline = Timeline(submitted: sent, policy: .never)
    #expect(timeline.entries.map(\.date.milliseconds) == [1, 3, 5])
    #expect(timeline.entries.map(\.content.bytes) == [[4], [5], [6]])
  }

  @Test("T2 Each sorted entry has its index in the order sent")
  func order() throws {
    var chance = Sampler(seed: 7)
    for _ in 0..<300 {
      let sent = try chance.array(upTo: 8) { try entry(Int64($0.number(in: 0...9)), UInt8($0.number(in: 0...255))) }
      let submitted = SubmittedTimeline(sent, policy: .never)
      #expect(submitted.entries == sent)
      let indices = submitted.timeline.entries.indices.map(submitted.sentIndex)
      #expect(submitted.timeline.entries == indices.map { sent[$0] })
      let last = Dictionary(sent.indices.map { (sent[$0].date, $0) }, uniquingKeysWith: { $1 })
      #expect(indices == last.sorted { $0.key < $1.key }.map(\.value))
      #expect(submitted.timeline.contentSize == indices.count)
    }
  }

  @Test("T2 Sorted or empty entries are kept unchanged")
  func sorted() throws {
    let sent = [try entry(1, 1), try entry(2, 2), try entry(9, 3)]
    #expect(Timeline(submitted: sent, policy: .atEnd).entries == sent)
    #expect(Timeline(submitted: [], policy: .atEnd).entries.isEmpty)
    #expect(Timeline(submitted: [], policy: .atEnd).entry(at: .max) == nil)
  }

  @Test("T2 The current entry is the latest one reached, as in a linear search")
  func current() throws {
    var chance = Sampler(seed: 2)
    for _ in 0..<300 {
      let sent = try chance.array(upTo: 12) { try entry(Int64($0.number(in: 0...9)), UInt8($0.number(in: 0...255))) }
      let timeline = Timeline(submitted: sent, policy: .atEnd)
      for milliseconds in Int64(0)...10 {
        let instant = try #require(Instant(milliseconds: milliseconds))
        var plain: TimelineEntry?
        for entry in sent where entry.date <= instant && (plain.map { $0.date <= entry.date } ?? true) {
          plain = entry
        }
        #expect(timeline.entry(at: instant) == plain)
        #expect(timeline.reachedCount(at: instant) == Set(sent.map(\.date)).count { $0 <= instant })
      }
    }
  }

  @Test("T7 A score that is not finite is rejected", arguments: [Double.nan, .signalingNaN, .infinity, -.infinity])
  func score(score: Double) throws {
    let rejection = try #require(throws: RequestError.self) { try TimelineEntryRelevance(score: score) }
    #expect(rejection.field == "score")
    #expect(rejection.code == .invalidArgument)
  }

  @Test("T7 A negative duration is rejected; zero and the maximum are accepted")
  func duration() throws {
    for milliseconds in [-1, Int64.min] {
      let rejection = try #require(throws: RequestError.self) {
        try TimelineEntryRelevance(score: 1, duration: TimeSpan(milliseconds: milliseconds))
      }
      #expect(rejection.field == "duration_ms")
    }
    for (score, milliseconds) in [(-0.0, 0), (1e300, .max), (.leastNonzeroMagnitude, 1), (-5, 7)] as [(Double, Int64)] {
      let relevance = try TimelineEntryRelevance(score: score, duration: TimeSpan(milliseconds: milliseconds))
      #expect(relevance.score == score)
    }
  }

  @Test("T3 A relevance in force counts from its start until just before its end")
  func inForce() throws {
    let (start, end) = (try #require(Instant(milliseconds: 10)), try #require(Instant(milliseconds: 20)))
    let window = RelevanceInForce(score: 3, start: start, end: end)
    let scores = try [9, 10, 19, 20].map { window.effectiveScore(at: try #require(Instant(milliseconds: $0))) }
    #expect(scores == [0, 3, 3, 0])
    #expect(RelevanceInForce(score: 3, start: start, end: nil).effectiveScore(at: .max) == 3)
  }

  @Test("T10 A media type has at most 255 bytes")
  func mediaType() throws {
    #expect(try EntryContent(mediaType: String(repeating: "m", count: 255), bytes: []).bytes.isEmpty)
    let rejection = try #require(throws: RequestError.self) {
      try EntryContent(mediaType: String(repeating: "m", count: 256), bytes: [])
    }
    #expect(rejection.description == "media_type: media type of 256 bytes exceeds media-type-size-max (255)")
  }
}
