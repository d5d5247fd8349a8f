import MarqueeModel
import MarqueeRPC
import Testing

@testable import MarqueeWire

/// Every validation of donation messages, each with a message that fails it alone.
@Suite struct DonationErrorTests {
  private typealias Proto = ProtoBytes
  private static let intent = Proto.message(4, .text(1, "View"))

  private func rejection<Value: WireValue>(_ type: Value.Type, _ message: ProtoBytes) throws -> String {
    let status = try #require(throws: RPCStatus.self) { try Value(wireBytes: message.bytes) }
    return status.description
  }

  /// Returns the error for a batch whose second donation is `donation`.
  private func rejection(donation: ProtoBytes) throws -> String {
    let fine: Proto = [.text(1, "1"), Self.intent]
    let text = try rejection(
      DonateRequest.self, [.text(1, "phone"), .text(2, "com.example"), .message(3, fine), .message(3, donation)])
    let prefix = "INVALID_ARGUMENT: donations[1]"
    #expect(text.hasPrefix(prefix), "\(text)")
    return String(text.dropFirst(prefix.count))
  }

  @Test("D1 A donation without a valid identifier, date or activity is rejected with its index and field")
  func donations() throws {
    #expect(try rejection(donation: [Self.intent]) == ".id: identifier is empty")
    #expect(
      try rejection(donation: [.text(1, "2")])
        == ".activity: required field is missing; set one of "
        + "intent, user_activity, reservations, received")
    #expect(
      try rejection(donation: [.text(1, "2"), .number(3, -1), Self.intent])
        == ".date_ms: -1 ms is outside the years 1970 to 9999")
    #expect(try rejection(donation: [.text(1, "2"), .text(2, "\u{200B}"), Self.intent]).hasPrefix(".group: "))
    #expect(try rejection(donation: [.text(1, "1"), Self.intent]) == ": duplicate value")
    #expect(try rejection(donation: [.text(1, "2"), .message(4, [])]) == ".intent.type: identifier is empty")
  }

  @Test("X2 Every text of a donation's own representation is validated")
  func displays() throws {
    func rejected(_ display: Proto) throws -> String {
      let donation = Proto.message(3, [.text(1, "2"), Self.intent, .message(7, display)])
      return try rejection(DonateRequest.self, [.text(1, "phone"), .text(2, "com.example"), donation])
    }
    let long = String(repeating: "a", count: ActionTexts.textSizeMax + 1)
    #expect(try rejected([]) == "INVALID_ARGUMENT: donations[0].display.title: must not be blank")
    #expect(try rejected(.text(1, " \n")) == "INVALID_ARGUMENT: donations[0].display.title: must not be blank")
    for (number, field) in [(1, "title"), (2, "subtitle"), (3, "image_key")] as [(UInt64, String)] {
      let text: Proto = number == 1 ? .text(1, long) : [.text(1, "a"), .text(number, long)]
      #expect(
        try rejected(text)
          == "RESOURCE_EXHAUSTED: donations[0].display.\(field): 1025 exceeds text-size-max (1024)")
    }
  }

  @Test("D9 D4 A received interaction, an intent type and related items are validated")
  func received() throws {
    #expect(
      try rejection(donation: [.text(1, "2"), .message(8, .text(1, "\u{200B}"))]).hasPrefix(".received.type: "))
    func rejected(_ selection: Proto) throws -> String {
      try rejection(DeleteDonationsRequest.self, [.text(1, "phone"), .text(2, "com.example"), .message(3, selection)])
    }
    #expect(try rejected(.text(10, "\u{200B}")).contains("selection.intent_type: "))
    #expect(try rejected(.message(8, .text(1, "\u{200B}"))).contains("selection.related_items.names[0]: "))
    #expect(try rejected(.number(9, 0)).contains("selection.all_related_items: must be true when set"))
  }

  @Test("D4 Every field of a user activity is validated")
  func activities() throws {
    func rejected(_ activity: Proto) throws -> String {
      try rejection(donation: [.text(1, "2"), .message(5, activity)]).replacing(".user_activity", with: "")
    }
    let value = Proto.message(3, [.text(1, "soup"), .message(2, .number(2, 1))])
    #expect(try rejected([]) == ".type: identifier is empty")
    #expect(try rejected([.text(1, "t"), value, value]) == ".user_info: duplicate parameter name")
    #expect(try rejected([.text(1, "t"), .text(4, "\u{200B}")]).hasPrefix(".required_user_info_keys[0]: "))
    #expect(try rejected([.text(1, "t"), .text(7, "\u{200B}")]).hasPrefix(".persistent_id: "))
    #expect(try rejected([.text(1, "t"), .text(8, "\u{200B}")]).hasPrefix(".related_item: "))
    let title = String(repeating: "a", count: IntentValue.stringSizeMax + 1)
    let long: Proto = [
      .text(1, "phone"), .text(2, "com.example"),
      .message(3, [.text(1, "2"), .message(5, [.text(1, "t"), .text(2, title)])]),
    ]
    #expect(
      try rejection(DonateRequest.self, long).contains(
        "donations[0].user_activity.title: 4097 exceeds string-size-max (4096)"))
    let titled = try UserActivity(wireBytes: ([.text(1, "t"), .text(2, "")] as Proto).bytes)
    #expect(try titled.title == "" && UserActivity(wireBytes: Proto.text(1, "t").bytes).title == nil)
  }

  @Test("D5 A deletion has a selection with a bounded number of identifiers")
  func deletions() throws {
    func rejected(_ selection: Proto?) throws -> String {
      let chosen = selection.map { Proto.message(3, $0).bytes } ?? []
      let request = Proto([Proto.text(1, "phone"), Proto.text(2, "com.example")].flatMap(\.bytes) + chosen)
      return try rejection(DeleteDonationsRequest.self, request)
    }
    #expect(try rejected(nil) == "INVALID_ARGUMENT: selection: required field is missing")
    #expect(
      try rejected([])
        == "INVALID_ARGUMENT: selection.selection: required field is missing; set one of "
        + "identifiers, group, persistent_ids, related_item, user_activities, intents, everything, "
        + "related_items, all_related_items, intent_type")
    #expect(try rejected(.number(7, 0)) == "INVALID_ARGUMENT: selection.everything: must be true when set")
    #expect(try rejected(.text(2, "")) == "INVALID_ARGUMENT: selection.group: identifier is empty")
    #expect(
      try rejected(.message(1, [.text(1, "a"), .text(1, "")]))
        == "INVALID_ARGUMENT: selection.identifiers.names[1]: identifier is empty")
    let many = Proto((0...DonationSelection.nameCountMax).flatMap { Proto.text(1, "\($0)").bytes })
    for field in [1, 3] as [UInt64] {
      #expect(
        try rejected(.message(field, many)).contains("4097 exceeds name-count-max (4096)"))
    }
    let names = (0..<DonationSelection.nameCountMax).map { "\($0)" + String(repeating: "a", count: 251) }
    let largest = DeleteDonationsRequest(
      device: try DeviceID("phone"), app: try AppID("com.example"),
      selection: .identifiers(try names.map { try Donation.ID($0) }))
    #expect(largest.wireBytes.count < ProviderService.deletionSizeMax)
    #expect(try DeleteDonationsRequest(wireBytes: largest.wireBytes) == largest)
  }

  @Test("An invalid donation on a stream is rejected individually by its number")
  func malformed() throws {
    let message = Proto.message(2, [.number(1, 7), .message(2, [.text(1, "1")])])
    let words = "required field is missing; set one of intent, user_activity, reservations, received"
    #expect(
      try DonationMessage(wireBytes: message.bytes)
        == .malformed(7, RequestError(.invalidArgument, field: "donation.activity", words)))
    #expect(
      try rejection(DonationMessage.self, [])
        == "INVALID_ARGUMENT: message: required field is missing; set one of "
        + "attach, donation")
    #expect(
      try rejection(DonationEvent.self, .message(3, [.number(1, 1)]))
        == "INVALID_ARGUMENT: rejected.code: must not be 0 (OK)")
  }

  @Test("A list with an invalid UTC offset or undeclared parameters is rejected")
  func readings() throws {
    let start: Proto = [.text(1, "com.example"), Proto.message(5, .text(1, "T"))]
    let context = Proto.message(7, [])
    func rejected(_ fields: Proto...) throws -> String {
      try rejection(DonationStatus.self, Proto(start.bytes + fields.flatMap(\.bytes)))
    }
    #expect(try rejected() == "INVALID_ARGUMENT: context: required field is missing")
    #expect(
      try rejected(context, .number(4, 1_441))
        == "INVALID_ARGUMENT: utc_offset_minutes: UTC offset out of range: 1441 min")
    #expect(
      try rejected(context, .message(8, .text(2, "p")))
        == "INVALID_ARGUMENT: satisfied[0].parameters: parameter is not set by the donation")
    #expect(
      try rejected(.message(7, .number(3, 99))) == "INVALID_ARGUMENT: context.routine: unknown routine situation: 99")
    let asked = try rejection(ListDonationsRequest.self, [.text(1, "phone"), .number(5, 1_001)])
    #expect(asked == "INVALID_ARGUMENT: count_max: 1001 exceeds the maximum of 1000")
  }

  @Test("The largest stored donation fits in a stream message and in a record")
  func largest() throws {
    // Booleans in arrays have the largest overhead on the wire.
    let values = [IntentValue](repeating: .boolean(false), count: 256)
    let parameters = try (0..<31).map { IntentParameter(name: try .init("\($0)"), value: .array(values)) }
    let donation = Donation(
      id: try .init("1"), date: .max, activity: .intent(try Intent(type: IntentType("T"), parameters: parameters)))
    #expect((15_000...Limits.default.donationSizeMax).contains(donation.encoded.count))
    #expect(DonationMessage.donation(.max, donation).wireBytes.count < ProviderService.donationSizeMax)
    #expect(donation.wireBytes.count <= 2 * donation.encoded.count + 64)
  }
}
