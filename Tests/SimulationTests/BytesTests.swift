import MarqueeModel
import MarqueeScheduler
import MarqueeTestSupport
import Testing

/// Damaged bytes are rejected or decode to a working device; they never trap.
@Suite struct BytesTests {
  @Test("Random bytes never trap", arguments: Seeds.all(8))
  func garbage(seed: UInt64) {
    var random = Sampler(seed: seed)
    for _ in 0..<500 {
      let bytes = (0..<random.number(in: 0...200)).map { _ in
        random.once(in: 2) ? UInt8(random.number(in: 0...9)) : UInt8(random.number(in: 0...255))
      }
      for version in [1, 2, 3] as [UInt8] {
        #expect(throws: BinaryDecodingError.self) { try Device(decoding: [version] + bytes) }
      }
      _ = try? Event(decoding: bytes)  // Both results are valid.
    }
  }

  @Test("A snapshot with damaged bytes is rejected or yields a working device", arguments: Seeds.all(8))
  func damagedDevice(seed: UInt64) {
    let day = PropertyTests.day(seed)
    var random = Sampler(seed: seed)
    var device = day.device
    var acceptedCount = 0
    for occurrence in day.occurrences {
      _ = device.handle(occurrence.event, at: RandomDay.instant(occurrence.second))
      guard random.once(in: 4) else { continue }
      let whole = device.encoded
      for _ in 0..<10 {
        guard var other = Self.damaged(whole, &random, as: Device.self) else { continue }
        acceptedCount += 1
        let instant = max(other.now, RandomDay.instant(occurrence.second))
        // A whole day ahead is checked rarely, since predictions make it slow.
        let span = TimeSpan.hours(random.once(in: 20) ? 30 : 1)
        if instant.span(to: .max) > .days(366) { _ = other.advance(to: instant.advanced(by: span)) }
        do { try other.check(occurrence.event) } catch { continue }
        _ = other.handle(occurrence.event, at: other.now)
      }
    }
    #expect(acceptedCount > 0)
  }

  @Test("A damaged event is rejected, or checked and applied like any other", arguments: Seeds.all(8))
  func damagedEvent(seed: UInt64) {
    let day = PropertyTests.day(seed)
    var random = Sampler(seed: seed)
    var device = day.device
    for occurrence in day.occurrences {
      _ = device.handle(occurrence.event, at: RandomDay.instant(occurrence.second))
      for _ in 0..<10 {
        guard let event = Self.damaged(occurrence.event.encoded, &random, as: Event.self) else { continue }
        var other = device
        do { try other.check(event) } catch { continue }
        _ = other.handle(event, at: other.now)
      }
    }
  }

  @Test("Events survive encoding and decoding", arguments: Seeds.all(8))
  func events(seed: UInt64) throws {
    for event in PropertyTests.day(seed).occurrences.map(\.event) {
      #expect(try Event(decoding: event.encoded) == event)
    }
  }

  /// Returns the value decoded from `bytes` after one was changed or the end was cut off; `nil` if that fails.
  private static func damaged<Value: BinaryCodable>(
    _ bytes: [UInt8], _ random: inout Sampler, as type: Value.Type
  ) -> Value? {
    var bytes = bytes
    if random.once(in: 5) {
      bytes.removeLast(random.number(in: 1...bytes.count))
    } else {
      bytes[random.number(in: 0...bytes.count - 1)] = UInt8(random.number(in: 0...255))
    }
    return try? Value(decoding: bytes)  // Most damage is detected.
  }
}
