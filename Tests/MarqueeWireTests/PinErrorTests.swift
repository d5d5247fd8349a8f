import MarqueeModel
import MarqueeRPC
import Testing

@testable import MarqueeWire

@Suite struct PinErrorTests {
  private typealias Proto = ProtoBytes

  private static let widget = Proto.message(1, [.text(1, "com.example"), .text(2, "Forecast")])

  private func rejection<Value: WireValue>(_ type: Value.Type, _ message: ProtoBytes) throws -> String {
    let status = try #require(throws: RPCStatus.self) { try Value(wireBytes: message.bytes) }
    return status.description
  }

  /// Returns an edit with the member of a oneof.
  private func edit(_ field: UInt64, _ value: ProtoBytes) -> ProtoBytes {
    [.text(1, "phone"), .text(2, "home"), .message(field, value)]
  }

  /// Returns a pin with times.
  private func pin(days: [Int64], _ start: Int64, _ end: Int64) -> ProtoBytes {
    let weekdays = Proto(days.flatMap { Proto.number(1, $0).bytes })
    return .message(1, [weekdays, .number(2, start), .number(3, end)])
  }

  @Test(
    "R12 Invalid times of a pin are rejected with their field",
    arguments: [
      ([], 0, 60, "weekdays: must be one or more of the seven weekdays"),
      ([0], 0, 60, "weekdays[0]: unknown weekday: 0"), ([1, 8], 0, 60, "weekdays[1]: unknown weekday: 8"),
      ([-1], 0, 60, "weekdays[0]: unknown weekday: -1"), ([2, 7, 2], 0, 60, "weekdays[2]: duplicate value"),
      ([1], 1_440, 60, "start_minute: 1440 is out of range 0 ..< 1440 minutes"),
      ([1], 0, 1_441, "end_minute: 1441 is out of range 0 ... 1440 minutes"),
      ([1], 0, -1, "end_minute: 4294967295 is out of range 0 ... 1440 minutes"),
      ([1], 540, 540, "end_minute: equals the start (540 minutes)"),
    ] as [([Int64], Int64, Int64, String)])
  func times(days: [Int64], start: Int64, end: Int64, error: String) throws {
    let edit = edit(11, [.message(1, Self.widget), .message(2, pin(days: days, start, end))])
    #expect(try rejection(EditStackRequest.self, edit) == "INVALID_ARGUMENT: set_pin.pin.times.\(error)")
  }

  @Test("R12 A pin's times may be daily or end on the next day, and an end of 0 is the end of the day")
  func acceptedTimes() throws {
    func times(days: [Int64], _ start: Int64, _ end: Int64) throws -> PinTimes? {
      try Pin(wireBytes: pin(days: days, start, end).bytes).times
    }
    #expect(try times(days: [6, 7], 1_320, 360) == PinTimes(weekdays: .weekend, start: 1_320, end: 360))
    #expect(try times(days: Array(1...7), 420, 0) == PinTimes(start: 420, end: 1_440))
    #expect(try times(days: Array(1...7), 0, 1_440)?.end == 1_440)
  }

  @Test("R12 A pin's place and Focus, and the widget and the rule of an edit, are validated")
  func parts() throws {
    let place = Proto.message(2, [.message(1, .double(1, 52)), .double(2, 0)])
    let pins: [(ProtoBytes, String)] = [
      (place, "place.radius: 0.0 m is not greater than 0 and at most 20037508.0"),
      (.message(2, .double(2, 5)), "place.center: required field is missing"),
      (.raw(3, [0xFF]), "focus: not valid UTF-8 without NUL (1 bytes)"),
    ]
    for (pin, error) in pins {
      #expect(
        try rejection(EditStackRequest.self, edit(11, [.message(1, Self.widget), .message(2, pin)]))
          == "INVALID_ARGUMENT: set_pin.pin.\(error)")
    }
    #expect(
      try rejection(EditStackRequest.self, edit(11, .message(2, [])))
        == "INVALID_ARGUMENT: set_pin.widget: required field is missing")
    #expect(
      try rejection(EditStackRequest.self, edit(12, .message(2, [])))
        == "INVALID_ARGUMENT: set_rotation_rule.widget: required field is missing")
    #expect(
      try rejection(EditStackRequest.self, edit(12, .message(1, Self.widget)))
        == "INVALID_ARGUMENT: set_rotation_rule.rule: required field is missing")
  }

  @Test("R12 An absent pin removes the pin, an empty one always holds, and an empty rule allows all rotations")
  func defaults() throws {
    let widget = try Widget(wireBytes: Self.widget.bytes)
    let member = Proto.message(1, Self.widget)
    #expect(try EditStackRequest(wireBytes: edit(11, member).bytes).edit == .setPin(widget, nil))
    #expect(
      try EditStackRequest(wireBytes: edit(11, [member, .message(2, [])]).bytes).edit == .setPin(widget, .always))
    #expect(
      try EditStackRequest(wireBytes: edit(12, [member, .message(2, [])]).bytes).edit
        == .setRotationRule(widget, RotationRule()))
    #expect(
      try EditStackRequest(wireBytes: edit(12, [member, .message(2, .number(2, 1))]).bytes).edit
        == .setRotationRule(widget, RotationRule(isAwayAllowed: false)))
  }

  @Test("R12 The settings of a stack belong to members that the user added, in their order, each once")
  func settings() throws {
    func stack(hasSuggestion: Bool, _ indices: [Int64]) -> ProtoBytes {
      let kinds = ["Forecast", "Score", "Rain"].map { Proto.message(1, [.text(1, "com.example"), .text(2, $0)]) }
      let members = Proto(kinds.flatMap { Proto.message(3, $0).bytes })
      let settings = Proto(
        indices.flatMap { Proto.message(8, [.number(1, $0), .message(3, .number(1, 1))]).bytes })
      return [.text(1, "home"), .number(2, 1), members, .number(7, hasSuggestion ? 1 : 0), settings]
    }
    let found = try Stack(wireBytes: stack(hasSuggestion: true, [1, 2]).bytes)
    let expected = MemberSettings(rotationRule: RotationRule(isToAllowed: false))
    #expect(found.settings == [found.members[1]: expected, found.members[2]: expected])
    for (hasSuggestion, indices) in [(false, [3]), (false, [-1]), (true, [0]), (false, [1, 1]), (false, [2, 0])]
      as [(Bool, [Int64])]
    {
      let number = indices.count - 1
      let index = UInt32(truncatingIfNeeded: indices[number])
      #expect(
        try rejection(Stack.self, stack(hasSuggestion: hasSuggestion, indices))
          == "INVALID_ARGUMENT: settings[\(number)].index: \(index) is not the index of a member (count: 3) after the "
          + "previous one")
    }
  }
}
