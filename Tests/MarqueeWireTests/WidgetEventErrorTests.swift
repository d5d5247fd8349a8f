import MarqueeModel
import MarqueeRPC
import Testing

@testable import MarqueeWire

@Suite struct WidgetEventErrorTests {
  private typealias Proto = ProtoBytes

  private func rejection<Value: WireValue>(_ type: Value.Type, _ message: ProtoBytes) throws -> String {
    let status = try #require(throws: RPCStatus.self) { try Value(wireBytes: message.bytes) }
    return status.description
  }

  private static let widget = Proto.message(3, .message(1, [.text(1, "com.example.transit"), .text(2, "Lines")]))

  /// Returns the error for an event of a small widget with these further fields.
  private func rejection(_ fields: ProtoBytes...) throws -> String {
    let all = [Proto.number(1, 1_000), .text(2, "phone"), Self.widget, .number(4, 1)] + fields
    return try rejection(WatchWidgetEventsResponse.self, .message(2, Proto(all.flatMap(\.bytes))))
  }

  @Test("W7 A request without an app, or with a kind that is empty or named twice, is rejected with its path")
  func requests() throws {
    func rejection(_ fields: ProtoBytes...) throws -> String {
      let all = [Proto.text(1, "phone")] + fields
      return try self.rejection(WatchWidgetEventsRequest.self, Proto(all.flatMap(\.bytes)))
    }
    #expect(try rejection() == "INVALID_ARGUMENT: app: identifier is empty")
    let app = Proto.text(2, "com.example.transit")
    #expect(try rejection(app, .text(3, "A"), .text(3, "")) == "INVALID_ARGUMENT: kinds[1]: identifier is empty")
    #expect(try rejection(app, .text(3, "A"), .text(3, "A")) == "INVALID_ARGUMENT: kinds[1]: duplicate value")
  }

  @Test("W7 An event that is incomplete, or cannot happen where it is, is rejected by the provider with its path")
  func events() throws {
    #expect(try rejection(WatchWidgetEventsResponse.self, []) == "INVALID_ARGUMENT: message: required field is missing")
    #expect(
      try rejection(WatchWidgetEventsResponse.self, .message(2, []))
        == "INVALID_ARGUMENT: event.widget: required field is missing")
    #expect(try rejection() == "INVALID_ARGUMENT: event.event: required field is missing")
    #expect(try rejection(.number(7, 0)) == "INVALID_ARGUMENT: event.placed: must be true when set")
    for number in [UInt64(8), 11, 12] {
      #expect(try rejection(.number(number, 1)) == "INVALID_ARGUMENT: event.stack: required for this event")
    }
    #expect(
      try rejection(.text(5, "home"), .number(10, 2))
        == "INVALID_ARGUMENT: event.resized_from: a stack does not resize its widgets")
    #expect(try rejection(.number(10, 1)) == "INVALID_ARGUMENT: event.resized_from: must differ from family")
    #expect(try rejection(.number(10, 99)) == "INVALID_ARGUMENT: event.resized_from: unknown widget family: 99")
    #expect(
      try rejection(.text(5, "home"), .message(13, .number(2, -1)))
        == "INVALID_ARGUMENT: event.impressions.visible_time_ms: -1 is negative")
    #expect(
      try rejection(.message(14, .text(2, "no link")))
        == "INVALID_ARGUMENT: event.tapped.link: must be an absolute URL, with a scheme (7 bytes)")
    #expect(
      try rejection(.message(14, .number(1, -1)))
        == "INVALID_ARGUMENT: event.tapped.entry_ms: -1 ms is outside the years 1970 to 9999")
  }
}
