import MarqueeModel
import MarqueeRPC
import MarqueeTestSupport
import Testing

@testable import MarqueeWire

/// Messages of the methods for clients that cannot send a stream, and of heartbeats.
@Suite struct HalfDuplexMessageTests {
  private typealias Proto = ProtoBytes

  private func rejection<Value: WireValue>(_ type: Value.Type, _ fields: ProtoBytes...) throws -> String {
    let message = Proto(fields.flatMap(\.bytes))
    let status = try #require(throws: RPCStatus.self) { try Value(wireBytes: message.bytes) }
    return status.description
  }

  @Test("Every message of the methods for clients that cannot send a stream round-trips", arguments: UInt64(1)...40)
  func roundTrip(seed: UInt64) throws {
    var chance = Sampler(seed: seed)
    let (device, app) = (try chance.identifier(DeviceID.self), try chance.identifier(AppID.self))
    let intervals = [HeartbeatInterval.none, try HeartbeatInterval(.seconds(1)), try HeartbeatInterval(.hours(1))]
    let heartbeat = chance.one(of: intervals)
    let widget = Widget(kind: WidgetKind(app: app, name: try chance.identifier()))
    try expectReturn(
      PublishTimelineRequest(
        device: device, app: app, widget: widget, family: chance.maybe { $0.family() },
        policy: chance.maybe { $0.policy() }, entries: chance.array { try $0.entry() },
        fallback: chance.maybe { try $0.entry().content }, group: chance.maybe { try $0.identifier() }))
    let warnings = chance.array { LintWarning(code: $0.text(), message: $0.text(), index: $0.number(in: 0...99)) }
    try expectReturn(PublishTimelineResponse(warnings: warnings))
    try expectReturn(WatchReloadsRequest(device: device, app: app, heartbeat: heartbeat))
    try expectReturn(ProviderMessage.attach(device, app, heartbeat: heartbeat))
    try expectReturn(ProviderEvent.heartbeat)
    let key = try chance.identifier(StreamKey.self)
    try expectReturn(WatchQueriesRequest(device: device, app: app, book: chance.phraseBook(), heartbeat: heartbeat))
    for query: ProviderQuery in [.attached(key), .heartbeat] { try expectReturn(query) }
    for response: QueryResponse in [.options(try chance.parameterOptions()), .outcome(IntentOutcome())] {
      try expectReturn(
        RespondToQueryRequest(device: device, app: app, stream: key, number: chance.next(), response: response))
    }
    try expectReturn(RespondToQueryResponse())
    let run = IntentInvocation(try chance.intent(), from: chance.once(in: 2) ? widget : nil)
    try expectReturn(RunIntentRequest(device: device, app: app, invocation: run, heartbeat: heartbeat))
    for update: PerformIntentUpdate in [.begun(key), .heartbeat] { try expectReturn(update) }
    try expectReturn(
      ReplyToPromptRequest(device: device, run: key, prompt: chance.next(), isAgreed: chance.once(in: 2)))
    try expectReturn(ReplyToPromptResponse())
    try expectReturn(WatchRequest(device: device, heartbeat: heartbeat))
    try expectReturn(DisplayUpdate(at: chance.instant(), .heartbeat))
    try expectReturn(WatchSurfaceRequest(device: device, surface: .search, heartbeat: heartbeat))
    try expectReturn(
      WatchSurfaceResponse(
        at: chance.instant(), suggestions: [], timeZone: chance.identifier(), isHeartbeat: true))
    try expectReturn(WatchWidgetEventsRequest(device: device, app: app, heartbeat: heartbeat))
    try expectReturn(WatchWidgetEventsResponse.heartbeat)
  }

  @Test("An interval of heartbeats outside the limits is rejected, and 0 is none")
  func intervals() throws {
    let device = Proto.text(1, "phone")
    #expect(
      try rejection(WatchRequest.self, device, .number(4, 999))
        == "INVALID_ARGUMENT: heartbeat_ms: 999 ms is less than heartbeat-interval-min (1 s)")
    #expect(
      try rejection(WatchRequest.self, device, .number(4, 3_600_001))
        == "INVALID_ARGUMENT: heartbeat_ms: 1 h 1 s exceeds heartbeat-interval-max (1 h)")
    let largest = try rejection(WatchRequest.self, device, .number(4, .max))
    #expect(largest.hasSuffix("exceeds heartbeat-interval-max (1 h)"))
    #expect(try WatchRequest(wireBytes: Proto([device, .number(4, 0)].flatMap(\.bytes)).bytes).heartbeat == .none)
  }

  @Test("A provider requests heartbeats in the message that attaches its stream, and in no other")
  func heartbeatsOfProviders() throws {
    let attach = Proto.message(1, [.text(1, "phone"), .text(2, "com.example.transit")])
    #expect(
      try rejection(ProviderMessage.self, attach, .number(4, 999))
        == "INVALID_ARGUMENT: heartbeat_ms: 999 ms is less than heartbeat-interval-min (1 s)")
    #expect(
      try rejection(ProviderMessage.self, .message(3, .number(1, 7)), .number(4, 1_000))
        == "INVALID_ARGUMENT: heartbeat_ms: only allowed in the message that attaches the stream")
  }

  @Test("A heartbeat that is set but false is rejected")
  func selectors() throws {
    let words = "INVALID_ARGUMENT: heartbeat: must be true when set"
    #expect(try rejection(ProviderEvent.self, .number(7, 0)) == words)
    #expect(try rejection(ProviderQuery.self, .number(11, 0)) == words)
    #expect(try rejection(WatchWidgetEventsResponse.self, .number(3, 0)) == words)
    #expect(try rejection(PerformIntentUpdate.self, .number(5, 0)) == words)
    #expect(try rejection(DisplayUpdate.self, .number(11, 0)) == words)
  }

  @Test("A timeline without a widget, or of another app's widget, is rejected with its path")
  func timelines() throws {
    func rejection(_ fields: ProtoBytes...) throws -> String {
      let all = [Proto.text(1, "phone"), .text(2, "com.example.transit")] + fields
      return try self.rejection(PublishTimelineRequest.self, Proto(all.flatMap(\.bytes)))
    }
    let widget = Proto.message(3, .message(1, [.text(1, "com.example.weather"), .text(2, "Rain")]))
    #expect(try rejection() == "INVALID_ARGUMENT: widget: required field is missing")
    #expect(try rejection(widget) == "INVALID_ARGUMENT: widget.kind.app: must be the app of the request")
    let own = Proto.message(3, .message(1, [.text(1, "com.example.transit"), .text(2, "Lines")]))
    #expect(
      try rejection(own, .message(6, .number(1, 1)), .message(6, .number(1, -1)))
        == "INVALID_ARGUMENT: entries[1].date_ms: -1 ms is outside the years 1970 to 9999")
  }

  @Test("An invalid response to a query, or one without a stream, is rejected with its path")
  func responses() throws {
    func rejection(_ fields: ProtoBytes...) throws -> String {
      let all = [Proto.text(1, "phone"), .text(2, "com.example.transit")] + fields
      return try self.rejection(RespondToQueryRequest.self, Proto(all.flatMap(\.bytes)))
    }
    let key = Proto.text(3, "key")
    #expect(try rejection(key) == "INVALID_ARGUMENT: response: required field is missing")
    #expect(try rejection(.message(4, .message(6, []))) == "INVALID_ARGUMENT: stream: identifier is empty")
    #expect(
      try rejection(key, .message(4, .number(1, 3)))
        == "INVALID_ARGUMENT: response.response: required field is missing; set one of "
        + "options, form, progress, prompt, outcome, rejected, continued")
    #expect(
      try rejection(key, .message(4, .message(7, .text(2, "no"))))
        == "INVALID_ARGUMENT: response.rejected.code: must not be 0 (OK)")
  }
}
