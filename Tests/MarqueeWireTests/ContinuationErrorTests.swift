import MarqueeModel
import MarqueeRPC
import Testing

@testable import MarqueeWire

@Suite struct ContinuationErrorTests {
  private typealias Proto = ProtoBytes

  private func rejection<Value: WireValue>(_ type: Value.Type, _ message: ProtoBytes) throws -> String {
    let status = try #require(throws: RPCStatus.self) { try Value(wireBytes: message.bytes) }
    return status.description
  }

  private static let widget = Proto.message(1, .message(1, [.text(1, "com.example.transit"), .text(2, "Lines")]))

  /// Returns the error for a tap with these fields.
  private func rejection(ofWidget fields: [ProtoBytes]) throws -> String {
    try rejection(
      ContinueInAppRequest.self, [.text(1, "phone"), .message(3, Proto(fields.flatMap(\.bytes)))])
  }

  @Test("A tapped item without a subject, placement or widget, or with an unknown value, is rejected with its path")
  func items() throws {
    #expect(
      try rejection(ContinueInAppRequest.self, .text(1, "phone"))
        == "INVALID_ARGUMENT: subject: required field is missing; set one of suggestion, widget")
    #expect(
      try rejection(ContinueInAppRequest.self, [.text(1, "phone"), .message(2, [.number(1, 99), .text(2, "0")])])
        == "INVALID_ARGUMENT: suggestion.surface: unknown surface: 99")
    #expect(
      try rejection(ContinueInAppRequest.self, [.text(1, "phone"), .message(2, [.number(1, 1), .text(2, "0")])])
        == "INVALID_ARGUMENT: suggestion.id: must be 32 lowercase hexadecimal digits (1 bytes)")
    #expect(try rejection(ofWidget: [.text(2, "home")]) == "INVALID_ARGUMENT: widget.widget: required field is missing")
    #expect(
      try rejection(ofWidget: [Self.widget])
        == "INVALID_ARGUMENT: widget.placement: required field is missing; set one of stack, outside_stacks")
    #expect(
      try rejection(ofWidget: [Self.widget, .number(3, 0)])
        == "INVALID_ARGUMENT: widget.outside_stacks: unknown widget family: 0")
  }

  @Test("A link that is no absolute URL or too long is rejected with its path")
  func links() throws {
    func rejection(_ link: String) throws -> String {
      try self.rejection(ofWidget: [Self.widget, .text(2, "home"), .text(4, link)])
    }
    #expect(
      try rejection("lines/u2")
        == "INVALID_ARGUMENT: widget.link: must be an absolute URL, with a scheme (8 bytes)")
    #expect(
      try rejection("a:b c") == "INVALID_ARGUMENT: widget.link: URL contains the disallowed character U+20")
    #expect(
      try rejection("a:" + String(repeating: "b", count: 2_047))
        == "RESOURCE_EXHAUSTED: widget.link: 2049 exceeds link-size-max (2048)")
  }

  @Test("An incomplete continuation is rejected by the provider with its path")
  func continuations() throws {
    func rejection(_ continuation: ProtoBytes) throws -> String {
      try self.rejection(ProviderQuery.self, [.number(7, 1), .message(9, continuation)])
    }
    #expect(
      try rejection([])
        == "INVALID_ARGUMENT: continuation.subject: required field is missing; set one of "
        + "intent, user_activity, widget, reservation, person")
    #expect(try rejection(.message(3, [])) == "INVALID_ARGUMENT: continuation.widget.widget: required field is missing")
    #expect(
      try rejection(.message(3, [Self.widget, .number(2, 99)]))
        == "INVALID_ARGUMENT: continuation.widget.family: unknown widget family: 99")
    let item = ProtoBytes.message(1, .text(1, "table"))
    #expect(
      try rejection(.message(4, [item]))
        == "INVALID_ARGUMENT: continuation.reservation.errand: unknown errand: 0")
    #expect(
      try rejection(.message(4, [item, .number(2, 1)]))
        == "INVALID_ARGUMENT: continuation.reservation.intent: required field is missing")
    #expect(
      try rejection(.message(5, .message(2, .text(1, "Send"))))
        == "INVALID_ARGUMENT: continuation.person.person: required field is missing")
  }

  @Test("S2 A shortcut with an intent and a user activity, or without a value of a required key, is rejected")
  func shortcuts() throws {
    func rejection(_ shortcut: ProtoBytes) throws -> String {
      try self.rejection(
        SetRelevantShortcutsRequest.self,
        [.text(1, "phone"), .text(2, "com.example.transit"), .message(3, shortcut)])
    }
    #expect(
      try rejection([.message(2, .text(1, "Show")), .message(5, .text(1, "line"))])
        == "INVALID_ARGUMENT: shortcuts[0].user_activity: not allowed with an intent")
    #expect(
      try rejection(.message(5, [.text(1, "line"), .text(4, "stop")]))
        == "INVALID_ARGUMENT: shortcuts[0].user_activity.required_user_info_keys: "
        + "a required key has no value in user_info")
  }
}
