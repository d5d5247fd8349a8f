import MarqueeModel
import MarqueeTestSupport
import Testing

@Suite struct BinaryCodableTests {
  /// Checks that a value round-trips in every field; display strings are compared through the bytes.
  private func expectReturn<Value: BinaryCodable & Equatable>(_ value: Value) throws {
    let bytes = value.encoded
    let back = try Value(decoding: bytes)
    #expect(back == value)
    #expect(back.encoded == bytes)
    #expect(throws: BinaryDecodingError.self) { try Value(decoding: bytes + [0]) }
    if !bytes.isEmpty {
      #expect(throws: BinaryDecodingError.self) { try Value(decoding: Array(bytes.dropLast())) }
    }
  }

  @Test("Every type round-trips, and trailing or missing bytes are rejected", arguments: UInt64(1)...60)
  func roundTrip(seed: UInt64) throws {
    var chance = Sampler(seed: seed)
    try expectReturn(chance.instant())
    try expectReturn(TimeSpan(milliseconds: chance.integer()))
    try expectReturn(chance.identifier(DeviceID.self))
    try expectReturn(chance.identifier(StackID.self))
    try expectReturn(chance.identifier(AppID.self))
    try expectReturn(chance.identifier(KindName.self))
    try expectReturn(chance.identifier(IntentType.self))
    try expectReturn(chance.identifier(TimeZoneID.self))
    try expectReturn(chance.identifier(IntentParameter.Name.self))
    try expectReturn(chance.family())
    try expectReturn(chance.identity())
    try expectReturn(chance.place())
    try expectReturn(chance.value())
    try expectReturn(chance.intent())
    try expectReturn(chance.widget())
    try expectReturn(WidgetInstance(chance.widget(), in: chance.family()))
    try expectReturn(chance.descriptor())
    try expectReturn(chance.entry())
    try expectReturn(chance.policy())
    try expectReturn(chance.timeline())
    try expectReturn(chance.shortcut())
    try expectReturn(chance.relevantIntent())
    try expectReturn(chance.intentType(of: chance.identifier()))
    for edit in try chance.edits() { try expectReturn(edit) }
    for report in try chance.reports() { try expectReturn(report) }
    try expectReturn(chance.donation())
    try expectReturn(chance.donationSelection())
    try expectReturn(chance.utcOffsets())
  }

  @Test("A reservation without a travel time is encoded as before travel times, and an unknown tag is rejected")
  func travelTime() throws {
    let (item, start) = (DisplayIdentity(identifier: "x", display: ""), Instant.min)
    let window = try DateWindow(start: start)
    func tag(_ window: DateWindow?, _ travelTime: TimeSpan?) throws -> [UInt8] {
      let reservation = try Reservation(item: item, start: start, checkIn: window, travelTime: travelTime)
      try expectReturn(reservation)
      // Neither an end nor a place precedes the tag.
      return reservation.encoded.dropFirst(item.encoded.count + start.encoded.count + 2).map(\.self)
    }
    let (check, travel) = (window.encoded, [UInt8]([60]))
    #expect(try tag(nil, nil) == [0] && tag(window, nil) == [1] + check)
    #expect(try tag(nil, TimeSpan(milliseconds: 30)) == [2] + travel)
    #expect(try tag(window, TimeSpan(milliseconds: 30)) == [3] + check + travel)
    let unknown = item.encoded + start.encoded + [0, 0, 4]
    #expect(throws: BinaryDecodingError.self) { try Reservation(decoding: unknown) }
  }

  @Test("The end of an episode is stored with the state of its gate, and one without an end as before ends")
  func episodeEnd() throws {
    func gate(_ isPassed: Bool, _ end: EpisodeEnd?) -> GateResult {
      GateResult(.episode, isPassed: isPassed, measured: 0, required: 1, episodeEnd: end)
    }
    let results = [gate(false, nil), gate(true, nil), gate(false, .moved), gate(false, .rejected)]
    for (state, result) in results.enumerated() {
      try expectReturn(result)
      #expect(Array(result.encoded.prefix(2)) == [Gate.episode.rawValue, UInt8(state)])
    }
    #expect(gate(true, .moved) == gate(true, nil))
    let unknown = [Gate.episode.rawValue, 4] + gate(true, nil).encoded.dropFirst(2)
    #expect(throws: BinaryDecodingError.self) { try GateResult(decoding: unknown) }
    let widget = try Widget(kind: WidgetKind(app: AppID("com.example.a"), name: KindName("News")))
    func decision(_ end: EpisodeEnd?) throws -> Decision {
      let candidate = Candidate(
        widget: widget, position: 0, isInFront: false, evidence: 1, signals: [], episodeStart: .min,
        gates: [gate(false, end)])
      let explanation = Explanation(
        stack: try StackID("home"), at: .min, front: nil, candidates: [candidate], chosen: widget)
      return Decision(number: 1, to: widget, explanation: explanation)
    }
    #expect(try decision(.rejected).withoutEpisodeEnds == decision(nil) && decision(.rejected) != decision(nil))
  }

  @Test("Random and corrupted bytes never trap")
  func randomBytes() throws {
    var chance = Sampler(seed: 99)
    let whole =
      [try chance.timeline().encoded, try chance.widget().encoded, try chance.descriptor().encoded]
      + [try chance.donation().encoded, try chance.utcOffsets().encoded]
    var readCount = 0
    for round in 0..<20_000 {
      var bytes = round.isMultiple(of: 2) ? chance.bytes(upTo: 40) : chance.one(of: whole)
      if !bytes.isEmpty { bytes[chance.number(in: 0...bytes.count - 1)] = UInt8(truncatingIfNeeded: chance.next()) }
      readCount += read(bytes, as: [Timeline.self, TimelineEntry.self, Widget.self, WidgetDescriptor.self])
      readCount += read(bytes, as: [Donation.self, DonationSelection.self, UTCOffsets.self])
      readCount += read(bytes, as: [Intent.self, Instant.self, TimeSpan.self, Place.self, IntentValue.self])
    }
    #expect(readCount > 100)
  }

  /// Returns the number of types that the bytes decode as.
  private func read(_ bytes: [UInt8], as types: [any BinaryCodable.Type]) -> Int {
    types.count { type in
      // An error is as acceptable as a value; only a trap is not.
      (try? type.init(decoding: bytes)) != nil
    }
  }

  @Test("Numbers of every size round-trip")
  func numbers() throws {
    var chance = Sampler(seed: 5)
    var writer = ByteWriter()
    let unsigned: [UInt64] = [0, 1, 127, 128, .max, .max - 1] + (0..<200).map { chance.next() >> UInt64($0 % 64) }
    let signed = (0..<200).map { _ in chance.integer() }
    let doubles = [Double.nan, .infinity, -0.0] + (0..<100).map { _ in chance.double() }
    unsigned.forEach { writer.write($0) }
    signed.forEach { writer.write($0) }
    doubles.forEach { writer.write($0) }
    var reader = ByteReader(writer.bytes)
    for number in unsigned { #expect(try reader.readUInt64() == number) }
    for number in signed { #expect(try reader.readInt64() == number) }
    for number in doubles { #expect(try reader.readDouble().bitPattern == number.bitPattern) }
    #expect(reader.isAtEnd)
  }

  @Test("Integers over 64 bits and counts over the remaining bytes are rejected")
  func tooLarge() {
    var long = ByteReader([UInt8](repeating: 0xFF, count: 9) + [2])
    #expect(throws: BinaryDecodingError.self) { try long.readUInt64() }
    var endless = ByteReader([UInt8](repeating: 0x80, count: 40))
    #expect(throws: BinaryDecodingError.self) { try endless.readUInt64() }
    var count = ByteReader([200, 1, 0, 0])
    #expect(throws: BinaryDecodingError.self) { try count.readArray(Instant.self) }
    var text = ByteReader([2, 0xC0, 0x80])
    #expect(throws: BinaryDecodingError.self) { try text.readString() }
    var flag = ByteReader([2])
    #expect(throws: BinaryDecodingError.self) { try flag.readBool() }
  }
}
