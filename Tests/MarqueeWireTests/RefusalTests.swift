import MarqueeModel
import MarqueeRPC
import Testing

@testable import MarqueeWire

/// Every check of a field, by a message that fails it alone; the status names the field's path.
@Suite struct RefusalTests {
  private typealias Proto = ProtoBytes
  private static let year10000: Int64 = 253_402_300_800_000
  private static let kind: Proto = [.text(1, "com.example"), .text(2, "Forecast")]
  private static let widget: Proto = [.message(1, kind)]

  private func refusal<Value: WireValue>(_ type: Value.Type, _ message: ProtoBytes) throws -> String {
    let status = try #require(throws: RPCStatus.self) { try Value(wireBytes: message.bytes) }
    return status.description
  }

  /// The refusal of a provider's timeline with one whole entry and then this one.
  private func entryRefusal(_ entry: ProtoBytes) throws -> String {
    let part: Proto = [.number(1, 7), .message(4, [.number(1, 1)]), .message(4, entry)]
    let message = try ProviderMessage(wireBytes: ([.message(2, part)] as Proto).bytes)
    guard case .malformed(let publish, isCommit: false, let refusal) = message else {
      Issue.record("\(message) is not refused")
      return ""
    }
    #expect(publish.number == 7)
    #expect(refusal.code == .invalidArgument)
    return refusal.description.replacing("timeline.entries[1].", with: "", maxReplacements: 1)
  }

  @Test("T7 An entry's score, duration and date are refused, naming entry and field")
  func entries() throws {
    #expect(try entryRefusal([.message(2, [.double(1, .infinity)])]) == "relevance.score: inf is not finite")
    #expect(try entryRefusal([.message(2, [.double(1, -.infinity)])]) == "relevance.score: -inf is not finite")
    #expect(try entryRefusal([.message(2, [.double(1, .nan)])]) == "relevance.score: nan is not finite")
    #expect(try entryRefusal([.message(2, [.number(2, -1)])]) == "relevance.duration_ms: -1 ms is negative")
    #expect(
      try entryRefusal([.message(2, [.number(2, .min)])])
        == "relevance.duration_ms: -9223372036854775808 ms is negative")
    for date in [-1, .min, .max, Self.year10000] {
      #expect(try entryRefusal([.number(1, date)]) == "date_ms: \(date) ms is outside the years 1970 to 9999")
    }
    #expect(
      try entryRefusal([.message(3, [.text(1, String(repeating: "m", count: 256))])])
        == "content.media_type: media-type-size-max is 255, this one has 256 bytes")
    #expect(
      try entryRefusal([.message(3, [.raw(1, [0xFF])])])
        == "content.media_type: 1 bytes that are not UTF-8 without NUL")
  }

  @Test("T7 Scores and durations at the edge of what numbers can be are taken as they are")
  func extremes() throws {
    for (score, duration) in [(-0.0, 0), (.leastNonzeroMagnitude, .max), (1e300, 1), (-1e300, 1)] as [(Double, Int64)] {
      let relevance = try TimelineEntryRelevance(
        wireBytes: ([.double(1, score), .number(2, duration)] as Proto).bytes)
      #expect(relevance.score.bitPattern == score.bitPattern)
      #expect(relevance.duration.milliseconds == duration)
    }
    #expect(try TimelineEntry(wireBytes: Proto.number(1, Self.year10000 - 1).bytes).date == .max)
    #expect(try IntentValue(wireBytes: Proto.number(2, .min).bytes) == .integer(.min))
  }

  @Test(
    "A string that is not strict UTF-8, or holds NUL, is refused",
    arguments: [
      [0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xE2, 0x82], [0x61, 0x00, 0x62], [0x00],
      [0x61, 0x00],
    ] as [[UInt8]])
  func strings(bytes: [UInt8]) throws {
    let words = "\(bytes.count) bytes that are not UTF-8 without NUL"
    #expect(try refusal(WatchRequest.self, .raw(1, bytes)) == "INVALID_ARGUMENT: device: \(words)")
    #expect(
      try refusal(WatchRequest.self, [.text(1, "phone"), .text(2, "a"), .raw(2, bytes)])
        == "INVALID_ARGUMENT: stacks[1]: \(words)")
    #expect(try refusal(IntentValue.self, .raw(1, bytes)) == "INVALID_ARGUMENT: string_value: \(words)")
    #expect(try refusal(IntentValue.self, .raw(6, bytes)) == "INVALID_ARGUMENT: enum_case: \(words)")
    #expect(
      try refusal(IntentValue.self, .message(7, .raw(2, bytes))) == "INVALID_ARGUMENT: object.display: \(words)")
    #expect(
      try refusal(IntentValue.self, .message(9, .raw(1, bytes))) == "INVALID_ARGUMENT: person.identifier: \(words)")
    #expect(
      try refusal(IntentValue.self, .message(8, .raw(3, bytes))) == "INVALID_ARGUMENT: place.display: \(words)")
    #expect(try refusal(HealthCheckRequest.self, .raw(1, bytes)) == "INVALID_ARGUMENT: service: \(words)")
    #expect(
      try refusal(ProviderEvent.self, .message(3, [.number(1, 1), .number(2, 3), .raw(3, bytes)]))
        == "INVALID_ARGUMENT: refused.message: \(words)")
  }

  @Test("An identifier that cannot be seen, is empty or is too long is refused")
  func identifiers() throws {
    for (text, code) in [("a\u{200B}b", "200b"), ("\u{202E}a", "202e"), ("a\u{2066}", "2066"), ("\n", "a")] {
      #expect(
        try refusal(WatchRequest.self, .text(1, text))
          == "INVALID_ARGUMENT: device: an identifier with the character U+\(code)")
    }
    #expect(try refusal(WatchRequest.self, []) == "INVALID_ARGUMENT: device: an empty identifier")
    let long = String(repeating: "x", count: 10 << 20)
    #expect(
      try refusal(WatchRequest.self, .text(1, long))
        == "INVALID_ARGUMENT: device: identifier-size-max is 255, this one has 10485760 bytes")
    #expect(
      try refusal(ReportRequest.self, [.text(1, "phone"), .text(7, "weather")])
        == "INVALID_ARGUMENT: app_opened: not a bundle identifier in reverse DNS, such as com.example.weather")
    #expect(
      try refusal(ProviderMessage.self, .message(1, [.text(1, "phone"), .text(2, "a..b")]))
        == "INVALID_ARGUMENT: attach.app: not a bundle identifier in reverse DNS, such as com.example.weather")
  }

  @Test("A message without what it has to have is refused")
  func absent() throws {
    #expect(try refusal(ProviderMessage.self, []) == "INVALID_ARGUMENT: message: absent")
    #expect(try refusal(ProviderEvent.self, []) == "INVALID_ARGUMENT: event: absent")
    #expect(try refusal(DisplayUpdate.self, []) == "INVALID_ARGUMENT: update: absent")
    #expect(try refusal(ReportRequest.self, .text(1, "phone")) == "INVALID_ARGUMENT: report: absent")
    #expect(
      try refusal(EditStackRequest.self, [.text(1, "phone"), .text(2, "s")]) == "INVALID_ARGUMENT: edit: absent")
    #expect(try refusal(TimelineReloadPolicy.self, []) == "INVALID_ARGUMENT: policy: absent")
    #expect(try refusal(ReloadReading.self, []) == "INVALID_ARGUMENT: phase: absent")
    #expect(try refusal(IntentValue.self, []) == "INVALID_ARGUMENT: value: absent")
    #expect(try refusal(Widget.self, []) == "INVALID_ARGUMENT: kind: absent")
    #expect(try refusal(GetTimelineRequest.self, .text(1, "phone")) == "INVALID_ARGUMENT: widget: absent")
    #expect(
      try refusal(EditStackRequest.self, [.text(1, "phone"), .text(2, "s"), .message(7, .number(2, 1))])
        == "INVALID_ARGUMENT: move.widget: absent")
    #expect(
      try refusal(ReportRequest.self, [.text(1, "phone"), .message(4, .text(1, "s"))])
        == "INVALID_ARGUMENT: scrolled.widget: absent")
    for (field, path) in [(2, "timeline"), (3, "abandon")] as [(UInt64, String)] {
      #expect(
        try refusal(ProviderMessage.self, .message(field, []))
          == "INVALID_ARGUMENT: \(path).publish_id: 0 is no publish identifier")
    }
    #expect(try refusal(WidgetDescriptor.self, .text(1, "com.example")) == "INVALID_ARGUMENT: descriptor: absent")
    #expect(try refusal(InspectStackResponse.self, []) == "INVALID_ARGUMENT: stack: absent")
    #expect(try refusal(ExplainResponse.self, []) == "INVALID_ARGUMENT: explanation: absent")
    #expect(
      try refusal(GetTimelineResponse.self, .number(5, 1)) == "INVALID_ARGUMENT: policy: absent")
  }

  @Test("A case that a flag chooses is not chosen by a false one")
  func selectors() throws {
    #expect(try refusal(TimelineReloadPolicy.self, .number(1, 0)) == "INVALID_ARGUMENT: at_end: chosen, but false")
    #expect(try refusal(TimelineReloadPolicy.self, .number(3, 0)) == "INVALID_ARGUMENT: never: chosen, but false")
    #expect(try refusal(ReloadReading.self, .number(3, 0)) == "INVALID_ARGUMENT: none: chosen, but false")
    #expect(
      try refusal(EditStackRequest.self, [.text(1, "phone"), .text(2, "s"), .number(4, 0)])
        == "INVALID_ARGUMENT: remove_stack: chosen, but false")
  }

  @Test("An unknown enum value is refused")
  func enums() throws {
    for family: Int64 in [0, 8, 256, -1] {
      let number = UInt32(truncatingIfNeeded: family)
      #expect(
        try refusal(EditStackRequest.self, [.text(1, "phone"), .text(2, "s"), .message(3, .number(1, family))])
          == "INVALID_ARGUMENT: create.family: \(number) is no widget family")
    }
    let kinds: Proto = [
      .text(1, "phone"), .text(2, "com.example"),
      .message(3, [.text(1, "K"), .number(3, 1), .number(3, 9)]),
    ]
    #expect(
      try refusal(RegisterKindsRequest.self, kinds) == "INVALID_ARGUMENT: kinds[0].families[1]: 9 is no widget family")
    #expect(
      try refusal(ReloadRequest.self, [.message(1, Self.widget), .number(2, 5)])
        == "INVALID_ARGUMENT: reason: 5 is no reload reason")
    #expect(try refusal(HealthCheckResponse.self, .number(1, 4)) == "INVALID_ARGUMENT: status: 4 is no serving status")
    #expect(try refusal(GateResult.self, .text(1, "mood")) == "INVALID_ARGUMENT: name: no gate of that name")
    #expect(try refusal(SignalShare.self, .text(1, "mood")) == "INVALID_ARGUMENT: signal: no signal of that name")
  }

  @Test("A configuration's parameters are refused by their place in it")
  func intents() throws {
    func parameterRefusal(_ parameter: ProtoBytes) throws -> String {
      let intent: Proto = [.text(1, "City"), .message(2, parameter)]
      let path = try refusal(Widget.self, [.message(1, Self.kind), .message(2, intent)])
      return path.replacing("configuration.parameters[0].", with: "", maxReplacements: 1)
    }
    let name = Proto.text(1, "city")
    #expect(
      try parameterRefusal([name, .message(2, .double(3, .nan))])
        == "INVALID_ARGUMENT: values[0].double_value: nan is not finite")
    #expect(
      try parameterRefusal([name, .message(2, .number(5, -5))])
        == "INVALID_ARGUMENT: values[0].date_ms: -5 ms is outside the years 1970 to 9999")
    #expect(
      try parameterRefusal([name, .message(2, .message(8, .double(1, 91)))])
        == "INVALID_ARGUMENT: values[0].place.latitude: 91.0 is outside -90 ... 90")
    #expect(
      try parameterRefusal([name, .message(2, .message(8, .double(2, .nan)))])
        == "INVALID_ARGUMENT: values[0].place.longitude: nan is outside -180 ... 180")
    #expect(
      try parameterRefusal([name, .message(2, .text(1, String(repeating: "x", count: 4_097)))])
        == "RESOURCE_EXHAUSTED: values[0].string_value: string-size-max is 4096, this would make 4097")
    #expect(
      try parameterRefusal([name]) == "INVALID_ARGUMENT: values: 0 values without is_array, exactly 1 expected")
    let values = ProtoBytes((0..<257).flatMap { _ in Proto.message(2, .number(2, 1)).bytes })
    #expect(
      try parameterRefusal([name, values, .number(3, 1)])
        == "RESOURCE_EXHAUSTED: values: element-count-max is 256, this would make 257")
    let one: Proto = [name, .message(2, .number(2, 1))]
    #expect(
      try refusal(Intent.self, [.text(1, "City"), .message(2, one), .message(2, one)])
        == "INVALID_ARGUMENT: parameters: two parameters of one name")
    let many = ProtoBytes(
      (0..<65).flatMap { Proto.message(2, [.text(1, "p\($0)"), .message(2, .number(2, 1))]).bytes })
    #expect(
      try refusal(Intent.self, [.text(1, "City"), many])
        == "RESOURCE_EXHAUSTED: parameters: parameter-count-max is 64, this would make 65")
  }

  @Test("What is named twice in one request is refused")
  func twice() throws {
    #expect(
      try refusal(WatchRequest.self, [.text(1, "phone"), .text(2, "a"), .text(2, "b"), .text(2, "a")])
        == "INVALID_ARGUMENT: stacks[2]: named twice")
    let kind = Proto.message(3, [.text(1, "K"), .number(3, 1)])
    #expect(
      try refusal(RegisterKindsRequest.self, [.text(1, "phone"), .text(2, "com.example"), kind, kind])
        == "INVALID_ARGUMENT: kinds[1]: named twice")
    let member = Proto.message(3, Self.widget)
    #expect(
      try refusal(Stack.self, [.text(1, "s"), .number(2, 1), member, member])
        == "INVALID_ARGUMENT: members[1]: named twice")
  }

  @Test("A stack's front is one of its members")
  func fronts() throws {
    let member = Proto.message(3, Self.widget)
    for front: Int64 in [1, -1, -2, Int64(Int32.max), Int64(Int32.min)] {
      #expect(
        try refusal(Stack.self, [.text(1, "s"), .number(2, 1), member, .number(4, front)])
          == "INVALID_ARGUMENT: front: \(front) of 1 members")
    }
    #expect(
      try refusal(Stack.self, [.text(1, "s"), .number(2, 1)]) == "INVALID_ARGUMENT: front: 0 of 0 members")
    #expect(
      try refusal(DisplayUpdate.self, .message(3, [.text(1, "s"), .message(2, Self.widget), .number(3, -1)]))
        == "INVALID_ARGUMENT: front.front: -1 is negative")
  }

  @Test("A description without families, a count over its limit and a refusal that is none are refused")
  func others() throws {
    let kinds: Proto = [.text(1, "phone"), .text(2, "com.example"), .message(3, .text(1, "K"))]
    #expect(
      try refusal(RegisterKindsRequest.self, kinds) == "INVALID_ARGUMENT: kinds[0].families: no family is supported")
    #expect(
      try refusal(ListDevicesRequest.self, .number(2, 10_001)) == "INVALID_ARGUMENT: count_max: 10001, at most 10000")
    #expect(
      try refusal(ListDecisionsRequest.self, [.text(1, "phone"), .number(4, 1_001)])
        == "INVALID_ARGUMENT: count_max: 1001, at most 1000")
    #expect(
      try refusal(ProviderEvent.self, .message(3, .number(1, 1)))
        == "INVALID_ARGUMENT: refused.code: 0 refuses nothing")
    #expect(
      try refusal(ProviderEvent.self, .message(2, [.number(1, 1), .message(2, .number(3, -2))]))
        == "INVALID_ARGUMENT: accepted.warnings[0].index: -2 is below -1")
  }

  @Test("Numbers of an explanation are finite, but for what a gate measured")
  func explanations() throws {
    let name = Proto.text(1, "hold")
    #expect(try GateResult(wireBytes: ([name, .double(3, .infinity)] as Proto).bytes).measured == .infinity)
    #expect(try refusal(GateResult.self, [name, .double(3, .nan)]) == "INVALID_ARGUMENT: measured: not a number")
    #expect(
      try refusal(GateResult.self, [name, .double(4, .infinity)]) == "INVALID_ARGUMENT: required: inf is not finite")
    #expect(
      try refusal(GateResult.self, [name, .number(6, -1)])
        == "INVALID_ARGUMENT: clears_ms: -1 ms is outside the years 1970 to 9999")
    for (field, path) in [(2, "score"), (3, "reference"), (4, "strength"), (5, "weight"), (6, "share")] {
      #expect(
        try refusal(SignalShare.self, [.text(1, "timeline"), .double(UInt64(field), .infinity)])
          == "INVALID_ARGUMENT: \(path): inf is not finite")
    }
    #expect(
      try refusal(Candidate.self, [.message(1, Self.widget), .double(4, .nan)])
        == "INVALID_ARGUMENT: evidence: nan is not finite")
    #expect(
      try refusal(RelevanceReading.self, .double(4, .infinity))
        == "INVALID_ARGUMENT: effective_score: inf is not finite")
  }

  @Test("Kinds of another app, or one kind twice, make no request")
  func requests() throws {
    let (one, other) = (try AppID("com.example"), try AppID("com.other"))
    let kind = try WidgetDescriptor(
      kind: WidgetKind(app: one, name: KindName("K")), displayName: "", families: [.systemSmall])
    #expect(throws: Refusal(.invalidArgument, field: "kinds[0]", "of another app")) {
      try RegisterKindsRequest(device: DeviceID("phone"), app: other, kinds: [kind])
    }
    #expect(throws: Refusal(.invalidArgument, field: "kinds[1]", "named twice")) {
      try RegisterKindsRequest(device: DeviceID("phone"), app: one, kinds: [kind, kind])
    }
  }

  @Test("Each kind of refusal has the status code of its name")
  func codes() {
    let codes: [(Refusal.Code, StatusCode)] = [
      (.invalidArgument, .invalidArgument), (.notFound, .notFound), (.alreadyExists, .alreadyExists),
      (.failedPrecondition, .failedPrecondition), (.resourceExhausted, .resourceExhausted),
    ]
    for (code, expected) in codes {
      #expect(RPCStatus(Refusal(code, field: "a", "b")) == RPCStatus(expected, "a: b"))
    }
  }
}
