import MarqueeModel
import MarqueeRPC
import MarqueeTestSupport
import Testing

@testable import MarqueeWire

@Suite struct FocusFilterMessageTests {
  private typealias Proto = ProtoBytes

  private func rejection<Value: WireValue>(_ type: Value.Type, _ message: ProtoBytes) throws -> String {
    let status = try #require(throws: RPCStatus.self) { try Value(wireBytes: message.bytes) }
    return status.description
  }

  @Test("S11 Every message about Focus filters round-trips", arguments: UInt64(1)...40)
  func roundTrip(seed: UInt64) throws {
    var chance = Sampler(seed: seed)
    let (device, app) = (try chance.identifier(DeviceID.self), try chance.identifier(AppID.self))
    let (focus, intent) = (try chance.identifier(FocusID.self), try chance.intent())
    let setting = SetFocusFilterRequest(device: device, app: app, focus: focus, intent: intent)
    let removal = RemoveFocusFilterRequest(device: device, app: app, focus: focus, intentType: intent.type)
    try expectReturn(setting)
    try expectReturn(SetFocusFilterResponse())
    try expectReturn(removal)
    try expectReturn(RemoveFocusFilterResponse(isRemoved: chance.once(in: 2)))
    try expectReturn(ListFocusFiltersRequest(device: device))
    let filters = try chance.array {
      FocusFilter(app: app, focus: focus, intent: try $0.intent(), isInForce: $0.once(in: 2))
    }
    try expectReturn(
      ListFocusFiltersResponse(at: chance.instant(), filters: filters, displays: chance.array { $0.actionDisplay() }))
    for state in try chance.focusFilterStates() { try expectReturn(ProviderQuery.focusFilter(state)) }
    try expectReturn(DeviceRecord(at: chance.instant(), .focusFilterSet(setting)))
    try expectReturn(DeviceRecord(at: chance.instant(), .focusFilterRemoved(removal)))
  }

  @Test("S11 The state of a filter has an intent of its type exactly if it has a Focus")
  func states() throws {
    func rejection(_ fields: [ProtoBytes]) throws -> String {
      try self.rejection(ProviderQuery.self, .message(10, Proto(fields.flatMap(\.bytes))))
    }
    let (type, intent) = (Proto.text(1, "Filter"), Proto.message(2, .text(1, "Filter")))
    #expect(
      try rejection([intent, .text(3, "work")]) == "INVALID_ARGUMENT: focus_filter.intent_type: identifier is empty")
    #expect(
      try rejection([type, intent])
        == "INVALID_ARGUMENT: focus_filter.focus: must be set exactly if a filter is in force")
    #expect(
      try rejection([type, .text(3, "work")])
        == "INVALID_ARGUMENT: focus_filter.focus: must be set exactly if a filter is in force")
    #expect(
      try rejection([type, .message(2, .text(1, "Other")), .text(3, "work")])
        == "INVALID_ARGUMENT: focus_filter.intent.type: must be the intent type of the filter")
  }

  @Test("S11 A request without a Focus, intent or type is rejected with its path")
  func requests() throws {
    let (device, app) = (Proto.text(1, "phone"), Proto.text(2, "com.example.mail"))
    let (focus, intent) = (Proto.text(3, "work"), Proto.message(4, .text(1, "Filter")))
    #expect(
      try rejection(SetFocusFilterRequest.self, [device, app, intent])
        == "INVALID_ARGUMENT: focus: identifier is empty")
    #expect(
      try rejection(SetFocusFilterRequest.self, [device, app, focus])
        == "INVALID_ARGUMENT: intent: required field is missing")
    #expect(
      try rejection(RemoveFocusFilterRequest.self, [device, app, focus])
        == "INVALID_ARGUMENT: intent_type: identifier is empty")
    let filter: Proto = [.text(1, "com.example.mail"), .text(2, "work")]
    #expect(
      try rejection(ListFocusFiltersResponse.self, .message(2, filter))
        == "INVALID_ARGUMENT: filters[0].intent: required field is missing")
  }
}
