import MarqueeModel
import MarqueeTestSupport
import Testing

@testable import MarqueeWire

/// The entries in responses to operators.
@Suite struct TimelineResponseTests {
  @Test("A member's current entry and a timeline are encoded without content")
  func outlines() throws {
    var chance = Sampler(seed: 4)
    let content = try EntryContent(mediaType: "text/plain", bytes: [1, 2, 3])
    let entry = TimelineEntry(date: .max, content: content)
    let reading = MemberStatus(
      widget: try chance.widget(), relevance: nil, current: entry, expiry: nil, entryCount: 7, reachedCount: 1,
      reload: chance.reload())
    let state = try MemberState(wireBytes: MemberState(reading).wireBytes)
    #expect(state.current == .init(date: .max, mediaType: "text/plain", contentSize: 3))
    #expect(state.entryCount == 7)
    let timeline = Timeline(submitted: [entry], policy: .never)
    let response = GetTimelineResponse(
      at: .min, family: .systemSmall, timeline: timeline, relevance: nil, timeZone: try TimeZoneID("Europe/Berlin"))
    #expect(response.timeline?.entries == [TimelineEntry(date: .max)])
  }

  @Test("The spans of a period and the publication round-trip")
  func spans() throws {
    let entry = TimelineEntry(date: .min, relevance: try TimelineEntryRelevance(score: 2, duration: .hours(1)))
    let relevance = RelevanceStatus(
      inForce: RelevanceInForce(score: 2, start: .min, end: nil), effectiveScore: 2, reference: 4)
    let noon = Instant.min.advanced(by: .hours(12))
    let spans = [
      TimelineSpan(start: .min, end: noon, hasTimeline: true, entries: [entry], relevance: relevance),
      TimelineSpan(start: noon, end: noon, hasTimeline: false, entries: [], relevance: nil),
    ]
    let response = GetTimelineResponse(
      at: noon, family: .systemSmall, timeline: nil, relevance: nil, timeZone: try TimeZoneID("UTC"),
      publishedAt: noon, spans: spans)
    #expect(try GetTimelineResponse(wireBytes: response.wireBytes) == response)
    let request = GetTimelineRequest(
      device: try DeviceID("phone"), widget: Widget(kind: WidgetKind(app: try AppID("a.b"), name: try KindName("K"))),
      at: noon, since: .min)
    #expect(try GetTimelineRequest(wireBytes: request.wireBytes) == request)
  }

  @Test("A timeline with content is encoded as its current entry, and the next one without content")
  func currentEntry() throws {
    let content = try EntryContent(mediaType: "text/plain", bytes: [1, 2, 3])
    let dates = (1...4).map { Instant.min.advanced(by: .hours($0)) }
    let entries = dates.map { TimelineEntry(date: $0, content: content) }
    let timeline = Timeline(submitted: entries, policy: .atEnd)
    func encoded(at instant: Instant) throws -> [TimelineEntry]? {
      let response = GetTimelineResponse(
        at: instant, family: .systemSmall, timeline: timeline, includesContent: true, relevance: nil,
        timeZone: try TimeZoneID("UTC"))
      return try GetTimelineResponse(wireBytes: response.wireBytes).timeline?.entries
    }
    #expect(try encoded(at: .min) == [TimelineEntry(date: dates[0])])
    #expect(try encoded(at: dates[1]) == [entries[1], TimelineEntry(date: dates[2])])
    #expect(try encoded(at: .max) == [entries[3]])
  }

  @Test("W4 W5 Operators receive all of a private entry with content, and its expiry and privacy without")
  func details() throws {
    let content = try EntryContent(mediaType: "text/plain", bytes: [1, 2, 3])
    let details = EntryDetails(
      expiry: .max, sensitivity: .isPrivate(content), link: try EntryLink("cards:amex"))
    let entry = try TimelineEntry(date: .min, content: content, details: details)
    let timeline = Timeline(submitted: [entry], policy: .never, fallback: content)
    func encoded(includesContent: Bool) throws -> Timeline? {
      let response = GetTimelineResponse(
        at: .min, family: .systemSmall, timeline: timeline, includesContent: includesContent, relevance: nil,
        timeZone: try TimeZoneID("UTC"))
      return try GetTimelineResponse(wireBytes: response.wireBytes).timeline
    }
    #expect(try encoded(includesContent: true) == timeline)
    let outline = try #require(try encoded(includesContent: false))
    #expect(outline.entries == [entry.withoutContent] && outline.fallback == .empty)
    let status = MemberStatus(
      widget: Widget(kind: WidgetKind(app: try AppID("com.example"), name: try KindName("K"))), relevance: nil,
      current: entry, expiry: entry.expiry, entryCount: 1, reachedCount: 1,
      reload: ReloadStatus(countedCount: 0, budget: 0, phase: .none, reason: nil))
    let state = try MemberState(wireBytes: MemberState(status).wireBytes)
    #expect(state.current?.expiry == .max && state.current?.isPrivate == true)
  }
}
