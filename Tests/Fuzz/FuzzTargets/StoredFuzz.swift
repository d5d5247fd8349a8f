import MarqueeModel
import MarqueeScheduler

/// Fuzzes the decoders of stored data.
enum StoredFuzz {
  /// A decoded device must round-trip, advance for an hour, and answer queries.
  static func device(_ bytes: [UInt8]) -> Bool {
    guard var device = try? Device(stored: bytes, source) else { return false }
    guard let again = try? Device(decoding: device.encoded),
      let stored = try? Device(stored: device.stored(.included), source)
    else {
      preconditionFailure("device cannot be decoded again")
    }
    precondition(again.encoded == device.encoded, "device does not round-trip")
    precondition(stored.stored(.referenced) == device.stored(.referenced), "stored device does not round-trip")
    guard device.now.span(to: .max) > .days(366) else { return true }
    _ = device.advance(to: device.now.advanced(by: .hours(1)))
    for stack in device.allStacks {
      _ = device.explanation(of: stack.id)
      _ = device.suggestionExplanation(of: stack.id)
    }
    _ = device.likelyActions(count: 10)
    _ = device.watchFace(count: 10)
    return true
  }

  /// A decoded event must round-trip, and a device must reject or apply it.
  static func event(_ bytes: [UInt8]) -> Bool {
    guard let event = try? Event(decoding: bytes) else { return false }
    guard let again = try? Event(decoding: event.encoded) else { preconditionFailure("event cannot be decoded again") }
    precondition(again.encoded == event.encoded, "event does not round-trip")
    var device = Device(id: name, timeZone: zone, at: start)
    do { try device.check(event) } catch { return true }
    _ = device.handle(event, at: start)
    _ = device.advance(to: start.advanced(by: .hours(1)))
    return true
  }

  /// Every event published the same large timeline.
  private static var source: TimelineSource { TimelineSource { _ throws(BinaryDecodingError) in timeline } }
  private static let timeline = Timeline(
    submitted: (0..<200).map { TimelineEntry(date: start.advanced(by: .minutes($0))) }, policy: .atEnd)
  static let start = Instant.min.advanced(by: .days(20_000))
  private static let name = valid { () throws(RequestError) in try DeviceID("phone") }
  private static let zone = valid { () throws(RequestError) in try TimeZoneID("Europe/Berlin") }

  /// Returns a value with constant, valid parts.
  private static func valid<Value>(_ make: () throws(RequestError) -> Value) -> Value {
    do { return try make() } catch { preconditionFailure("\(error)") }
  }
}
