import MarqueeModel
import MarqueeScheduler
import Testing

/// Identifiers of donations, which a device stores since the mark 250.
@Suite struct DonationIdentifierTests {
  private static let start = Instant(milliseconds: 1_623_024_000_000)!
  private static let uuid = "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"
  private let apps: [AppID]
  private var device: Device

  init() throws {
    apps = [try AppID("com.example.soup-chef"), try AppID("com.example.sandwich-chef")]
    device = Device(id: try DeviceID("phone"), timeZone: try TimeZoneID("America/Los_Angeles"), at: Self.start)
  }

  private static func donation(_ id: String, minute: Int64) throws -> Donation {
    Donation(
      id: try Donation.ID(id), date: start.advanced(by: .minutes(minute)),
      activity: .intent(try Intent(type: try IntentType("Order"), parameters: [])))
  }

  private mutating func send(_ event: Event, minute: Int64 = 60) throws {
    let instant = Self.start.advanced(by: .minutes(minute))
    _ = device.advance(to: instant)
    try device.check(event)
    _ = device.handle(event, at: instant)
  }

  private mutating func donate(_ ids: String..., app: Int = 0) throws {
    let donations = try ids.enumerated().map { try Self.donation($1, minute: Int64($0)) }
    try send(.donated(apps[app], donations))
  }

  private var ids: [String?] { device.donations(count: 9).map { $0.id?.text } }

  /// The device as an earlier release would have stored it: with hashes in place of all identifiers.
  ///
  /// - Parameter texts: The identifiers of the donations, in their order.
  private func hashed(_ texts: [String]) throws -> Device {
    var bytes = device.encoded[...]
    #expect(bytes.first == 250)
    for text in texts.reversed() {
      let isText = text.utf8.count != 36
      let tail: [UInt8] = isText ? [3] + (try Donation.ID(text).encoded) : [text == text.lowercased() ? 2 : 1]
      #expect(Array(bytes.suffix(tail.count)) == tail)
      bytes = bytes.dropLast(tail.count)
    }
    var stored = Array(bytes.dropFirst())
    for text in texts where text.utf8.count == 36 {
      let id = try Donation.ID(text)
      let (identity, hash) = (Self.bits(id.text), UInt128(hashing: id.text.utf8).bytes)
      let position = try #require(stored.indices.first { stored[$0...].starts(with: identity) })
      stored.replaceSubrange(position..<position + 16, with: hash)
    }
    return try Device(decoding: stored)
  }

  /// Returns the stored bits of a UUID in upper case.
  private static func bits(_ text: String) -> [UInt8] {
    let digits = text.filter { $0 != "-" }
    return (UInt128(digits, radix: 16) ?? 0).bytes
  }

  @Test("D6 Identifiers of every form are listed, stored and decoded")
  mutating func forms() throws {
    try donate(Self.uuid, Self.uuid.lowercased(), "order-1", String(repeating: "é", count: 60))
    try donate("order-1", app: 1)
    #expect(Set(ids.compactMap(\.self)).count == 4 && ids.count == 5 && !ids.contains(nil))
    let decoded = try Device(decoding: device.encoded)
    #expect(decoded == device && decoded.encoded == device.encoded)
    #expect(decoded.donations(count: 9).map(\.id) == device.donations(count: 9).map(\.id))
  }

  @Test("D5 Deleted identifiers leave no trace, even if another app uses an equal one")
  mutating func deleting() throws {
    let empty = device.encoded
    try donate("order-1", Self.uuid)
    try donate("order-1", app: 1)
    try send(.donationsDeleted(apps[0], .identifiers([try Donation.ID("order-1"), try Donation.ID(Self.uuid)])))
    #expect(ids == ["order-1"])
    #expect(String(decoding: device.encoded, as: UTF8.self).contains("order-1"))
    try send(.donationsDeleted(apps[1], .everything))
    #expect(device.encoded.first == empty.first)
    #expect(!String(decoding: device.encoded, as: UTF8.self).contains("order-1"))
  }

  @Test("R8 A device with hashes lists no identifiers, and finds its donations by them")
  mutating func earlierRelease() throws {
    let texts = [Self.uuid, "order-1"]
    try donate(Self.uuid, "order-1")
    let complete = device
    device = try hashed(texts)
    #expect(ids == [nil, nil] && device.encoded.first != 250)
    #expect(device != complete && device.differsOnlyInLaterData(from: complete))
    #expect(!complete.differsOnlyInLaterData(from: device))
    let hashed = device
    #expect(device.donationCount(of: apps[0], selectedBy: .identifiers(try texts.map { try Donation.ID($0) })) == 2)
    // Donated again with other dates, they replace the earlier ones.
    try send(.donated(apps[0], try texts.reversed().map { try Self.donation($0, minute: 10) }))
    #expect(device.donationCount() == 2 && Set(ids) == Set(texts))
    #expect(try Device(decoding: device.encoded) == device)
    device = hashed
    try send(.donationsDeleted(apps[0], .identifiers([try Donation.ID(Self.uuid)])))
    #expect(device.donationCount() == 1)
  }

  @Test("Malformed identifiers are corrupt")
  mutating func corrupt() throws {
    try donate("order-1")
    let bytes = device.encoded
    for (position, byte) in [(bytes.count - 1, UInt8(ascii: "2")), (bytes.count - 9, 4), (bytes.count - 9, 0)] {
      var changed = bytes
      changed[position] = byte
      #expect(throws: BinaryDecodingError.self) { try Device(decoding: changed) }
    }
    #expect(throws: BinaryDecodingError.self) { try Device(decoding: bytes.dropLast(9) + [0]) }
    #expect(throws: BinaryDecodingError.self) { try Device(decoding: Array(bytes.dropFirst())) }
  }
}

extension UInt128 {
  /// The upper and the lower 64 bits, each in little-endian order, as a device stores them.
  fileprivate var bytes: [UInt8] {
    [self >> 64, self].flatMap { half in (0..<8).map { UInt8(truncatingIfNeeded: half >> UInt128(8 * $0)) } }
  }
}
