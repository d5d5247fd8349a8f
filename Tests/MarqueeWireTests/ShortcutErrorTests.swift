import MarqueeModel
import MarqueeRPC
import MarqueeTestSupport
import Testing

@testable import MarqueeWire

/// Every validation of shortcut, admin and record messages, each with a message that fails it alone.
@Suite struct ShortcutErrorTests {
  private typealias Proto = ProtoBytes
  private static let intent: Proto = [.text(1, "View")]
  private static let widget: Proto = [.message(1, [.text(1, "com.example"), .text(2, "Forecast")])]

  private func rejection<Value: WireValue>(_ type: Value.Type, _ message: ProtoBytes) throws -> String {
    let status = try #require(throws: RPCStatus.self) { try Value(wireBytes: message.bytes) }
    return status.description
  }

  /// Returns the error for a set whose second shortcut has `provider` as its second provider.
  private func rejection(provider: ProtoBytes) throws -> String {
    let other: Proto = [.number(4, 1)]
    let shortcut: Proto = [.text(1, "Forecast"), .message(4, other), .message(4, provider)]
    let request: Proto = [
      .text(1, "phone"), .text(2, "com.example"), .message(3, [.text(1, "Forecast")]), .message(3, shortcut),
    ]
    let text = try rejection(SetRelevantShortcutsRequest.self, request)
    let prefix = "INVALID_ARGUMENT: shortcuts[1].providers[1]"
    #expect(text.hasPrefix(prefix))
    return String(text.dropFirst(prefix.count))
  }

  @Test("S3 S6 An invalid relevance provider is rejected with the indices and the field")
  func providers() throws {
    #expect(
      try rejection(provider: .message(1, [.number(1, 5_000), .number(2, 4_000)]))
        == ".date.end_ms: end precedes the start by 1 s")
    #expect(
      try rejection(provider: .message(1, .number(1, -1)))
        == ".date.start_ms: -1 ms is outside the years 1970 to 9999")
    #expect(try rejection(provider: .number(3, 0)) == ".daily_routine: unknown routine situation: 0")
    #expect(try rejection(provider: .number(3, 11)) == ".daily_routine: unknown routine situation: 11")
    #expect(try rejection(provider: .number(4, 0)) == ".other: must be true when set")
    #expect(
      try rejection(provider: [])
        == ".provider: required field is missing; set one of "
        + "date, location, daily_routine, other")
    #expect(try rejection(provider: .message(2, .double(2, 5))) == ".location.center: required field is missing")
    let center = Proto.message(1, [.double(1, 52), .double(2, 13)])
    for radius in [0, -1, .infinity, .nan, 20_037_509] {
      let text = try rejection(provider: .message(2, [center, .double(2, radius)]))
      #expect(text.hasPrefix(".location.radius: \(radius) m is not greater than 0"))
    }
    #expect(
      try rejection(provider: .message(2, [.message(1, .double(1, 91)), .double(2, 5)]))
        .hasPrefix(".location.center.latitude: "))
  }

  @Test("S2 A shortcut's role, kind, intent and number of providers are validated")
  func shortcuts() throws {
    func rejected(_ shortcut: Proto) throws -> String { try rejection(RelevantShortcut.self, shortcut) }
    #expect(try rejected(.number(3, 3)) == "INVALID_ARGUMENT: role: unknown shortcut role: 3")
    #expect(try rejected(.text(1, "\u{200B}")).hasPrefix("INVALID_ARGUMENT: kind: "))
    #expect(try rejected(.message(2, [])).hasPrefix("INVALID_ARGUMENT: intent.type: "))
    #expect(
      try rejected(.text(6, "bills")) == "INVALID_ARGUMENT: group: a group of widgets requires a widget kind")
    #expect(try rejected([.text(1, "Forecast"), .text(6, "\u{200B}")]).hasPrefix("INVALID_ARGUMENT: group: "))
    let many = Proto((0..<65).flatMap { _ in Proto.message(4, .number(4, 1)).bytes })
    #expect(try rejected(many) == "RESOURCE_EXHAUSTED: providers: 65 exceeds provider-count-max (64)")
    #expect(try RelevantShortcut(wireBytes: Proto.text(1, "Forecast").bytes).role == .action)
  }

  @Test("S7 A relevant intent has an intent, a kind and a window")
  func intents() throws {
    let (kind, window): (Proto, Proto) = (.text(2, "Forecast"), .message(3, .number(1, 1)))
    #expect(
      try rejection(RelevantIntent.self, [kind, window]) == "INVALID_ARGUMENT: intent: required field is missing")
    #expect(
      try rejection(RelevantIntent.self, [.message(1, Self.intent), window])
        == "INVALID_ARGUMENT: kind: identifier is empty")
    #expect(
      try rejection(RelevantIntent.self, [.message(1, Self.intent), kind])
        == "INVALID_ARGUMENT: window: required field is missing")
    #expect(
      try rejection(RelevantIntent.self, [.message(1, Self.intent), kind, window, .text(4, "\u{200B}")])
        .hasPrefix("INVALID_ARGUMENT: group: "))
  }

  @Test("D2 An intent type with too many, duplicate or undeclared elements is rejected with its index and field")
  func intentTypes() throws {
    func rejected(_ type: Proto) throws -> String {
      let request: Proto = [
        .text(1, "phone"), .text(2, "com.example"), .message(3, .text(1, "A")),
        .message(3, [.text(1, "B"), type]),
      ]
      let text = try rejection(RegisterIntentTypesRequest.self, request)
      return text.replacing("intent_types[1].", with: "", maxReplacements: 1)
    }
    func parameter(_ name: String, _ type: Int64 = 1) -> Proto { .message(2, [.text(1, name), .number(2, type)]) }
    func combination(_ names: String...) -> Proto {
      .message(3, ProtoBytes(names.flatMap { Proto.text(1, $0).bytes }))
    }
    #expect(try rejected(parameter("p", 0)) == "INVALID_ARGUMENT: parameters[0].type: unknown value type: 0")
    #expect(try rejected(parameter("p", 10)) == "INVALID_ARGUMENT: parameters[0].type: unknown value type: 10")
    #expect(
      try rejected([parameter("p"), parameter("p")]) == "INVALID_ARGUMENT: parameters: duplicate parameter name")
    #expect(
      try rejected([parameter("p"), combination("p", "p")])
        == "INVALID_ARGUMENT: combinations[0].parameters[1]: duplicate value")
    #expect(
      try rejected([parameter("p"), combination("p"), combination("p")])
        == "INVALID_ARGUMENT: combinations[1]: duplicate combination")
    #expect(
      try rejected(combination("q"))
        == "INVALID_ARGUMENT: combinations[0]: parameter is not declared by the intent type"
    )
    let all = (0..<17).map { "p\($0)" }
    let many = ProtoBytes(all.flatMap { parameter($0).bytes } + all.flatMap { combination($0).bytes })
    #expect(try rejected(many) == "RESOURCE_EXHAUSTED: combinations: 17 exceeds combination-count-max (16)")
    let twice: Proto = [
      .text(1, "phone"), .text(2, "com.example"), .message(3, .text(1, "A")), .message(3, .text(1, "A")),
    ]
    #expect(
      try rejection(RegisterIntentTypesRequest.self, twice) == "INVALID_ARGUMENT: intent_types[1]: duplicate value")
    let app = try AppID("com.other")
    #expect(throws: RequestError.self) {
      var chance = Sampler(seed: 1)
      return try RegisterIntentTypesRequest(
        device: DeviceID("phone"), app: app, intentTypes: [chance.intentType(of: AppID("com.example"))])
    }
  }

  @Test("X1 Texts of intent types are validated, and errors contain the field names")
  func texts() throws {
    func rejected(_ type: Proto) throws -> String {
      let named = Proto.message(3, [.text(1, "A"), type])
      return try rejection(RegisterIntentTypesRequest.self, [.text(1, "phone"), .text(2, "com.example"), named])
        .replacing("intent_types[0].", with: "")
    }
    let long = String(repeating: "a", count: ActionTexts.textSizeMax + 1)
    let over = "1025 exceeds text-size-max (1024)"
    #expect(try rejected(.text(7, long)) == "RESOURCE_EXHAUSTED: title: \(over)")
    #expect(try rejected(.text(8, long)) == "RESOURCE_EXHAUSTED: description: \(over)")
    let fields = ["title", "subtitle", "summary", "image_key", "category", "keywords[0]"]
    for (index, field) in fields.enumerated() {
      let texts = try rejected(.message(3, .message(3, .text(UInt64(index) + 1, long))))
      #expect(texts == "RESOURCE_EXHAUSTED: combinations[0].texts.\(field): \(over)")
    }
    #expect(
      try rejected(.message(3, .message(3, .text(1, "${a"))))
        == "INVALID_ARGUMENT: combinations[0].texts.title: a parameter reference is not closed")
    let other = "refers to a parameter that the combination does not contain"
    #expect(
      try rejected(.message(3, .message(3, .text(2, "${a}"))))
        == "INVALID_ARGUMENT: combinations[0].texts.subtitle: \(other)")
    #expect(
      try rejected(.message(3, .message(3, .text(6, ""))))
        == "INVALID_ARGUMENT: combinations[0].texts.keywords[0]: must not be empty")
    let cases: Proto = [.text(1, "p"), .number(2, 1), .message(4, [.text(1, "a"), .text(2, "A")])]
    #expect(
      try rejected(.message(2, cases))
        == "INVALID_ARGUMENT: parameters[0].cases: only an enum case parameter has cases")
    let untitled: Proto = [.text(1, "p"), .number(2, 6), .message(4, .text(1, "a"))]
    #expect(
      try rejected(.message(2, untitled)) == "INVALID_ARGUMENT: parameters[0].cases[0].title: must not be blank")
  }

  @Test("Value types, roles and window states have the numbers of the .proto files")
  func numbers() throws {
    let types: [IntentValueType] = [
      .string, .integer, .double, .boolean, .date, .enumCase, .object, .place, .person,
    ]
    for (index, type) in types.enumerated() {
      let parameter = try IntentTypeDescriptor.Parameter(
        wireBytes: ([.text(1, "p"), .number(2, Int64(index) + 1)] as Proto).bytes)
      #expect(parameter.type == type)
    }
    for (number, role) in [(1, .action), (2, .information)] as [(Int64, RelevantShortcut.Role)] {
      #expect(try RelevantShortcut(wireBytes: Proto.number(3, number).bytes).role == role)
    }
    for (number, state) in [(1, .ahead), (2, .open), (3, .ended)] as [(Int64, WindowState)] {
      #expect(try WindowStatus(wireBytes: Proto.number(3, number).bytes).state == state)
    }
  }

  @Test("Admin messages are validated, and errors contain the field names")
  func operators() throws {
    let asked: Proto = [.text(1, "phone"), .text(2, "home")]
    #expect(try rejection(WhyNotRequest.self, asked) == "INVALID_ARGUMENT: widget: required field is missing")
    #expect(
      try rejection(WhyNotRequest.self, [asked, .message(3, Self.widget), .number(4, -1)])
        == "INVALID_ARGUMENT: at_ms: -1 ms is outside the years 1970 to 9999")
    let number: Proto = [.text(1, "dwell"), .double(2, 1)]
    #expect(
      try rejection(SetPolicyRequest.self, [.text(1, "phone"), .message(2, number), .message(2, number)])
        == "INVALID_ARGUMENT: set[1]: duplicate value")
    #expect(
      try rejection(SetPolicyRequest.self, [.text(1, "phone"), .text(3, "a"), .text(3, "a")])
        == "INVALID_ARGUMENT: reset[1]: duplicate value")
    #expect(
      try rejection(
        SetPolicyRequest.self, [.text(1, "phone"), .message(2, [.text(1, "dwell"), .double(2, .infinity)])])
        == "INVALID_ARGUMENT: set[0].value: inf is not finite")
    #expect(try rejection(Obstacle.self, []) == "INVALID_ARGUMENT: obstacle: required field is missing")
    #expect(
      try rejection(Obstacle.self, .message(4, [])) == "INVALID_ARGUMENT: no_evidence.gap: required field is missing")
    #expect(
      try rejection(Obstacle.self, .message(4, .message(3, .double(1, .nan))))
        == "INVALID_ARGUMENT: no_evidence.score_not_positive.score: nan is not finite")
    #expect(
      try rejection(EvidenceGap.self, .number(7, 0)) == "INVALID_ARGUMENT: only_watch_face: must be true when set")
    #expect(try rejection(WindowStatus.self, .number(3, 4)) == "INVALID_ARGUMENT: state: unknown window state: 4")
  }

  @Test("A record without a complete step is rejected")
  func records() throws {
    #expect(try rejection(DeviceRecord.self, .number(1, 1)) == "INVALID_ARGUMENT: step: required field is missing")
    #expect(
      try rejection(DeviceRecord.self, .message(8, .text(1, "com.example")))
        == "INVALID_ARGUMENT: reload_requested.app: identifier is empty")
    #expect(
      try rejection(DeviceRecord.self, .message(2, [.text(1, "phone"), .text(2, "UTC")]))
        == "INVALID_ARGUMENT: origin.policy: required field is missing")
    let number: Proto = [.text(1, "dwell"), .double(2, 1)]
    #expect(
      try rejection(DeviceRecord.self, .message(11, [.message(1, number), .message(1, number)]))
        == "INVALID_ARGUMENT: policy_changed.numbers[1]: duplicate value")
    #expect(
      try rejection(DeviceRecord.self, .message(7, .number(5, 1)))
        == "INVALID_ARGUMENT: timeline_published.publish_id: must not be 0")
  }
}
