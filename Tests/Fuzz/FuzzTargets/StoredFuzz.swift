import MarqueeModel
import MarqueeScheduler

/// What the store reads from its file.
enum StoredFuzz {
  /// A device that is read goes on: it is written and read again as it is, lives for an hour and answers questions.
  static func device(_ bytes: [UInt8]) -> Bool {
    guard var device = try? Device(decoding: bytes) else { return false }
    guard let again = try? Device(decoding: device.encoded) else {
      preconditionFailure("a device cannot be read again")
    }
    precondition(again.encoded == device.encoded, "a device is written differently when it was read again")
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

  /// An event that is read is written and read again as it is, and a device refuses it or takes it in.
  static func event(_ bytes: [UInt8]) -> Bool {
    guard let event = try? Event(decoding: bytes) else { return false }
    guard let again = try? Event(decoding: event.encoded) else { preconditionFailure("an event cannot be read again") }
    precondition(again.encoded == event.encoded, "an event is written differently when it was read again")
    var device = Device(id: name, timeZone: zone, at: start)
    do { try device.check(event) } catch { return true }
    _ = device.handle(event, at: start)
    _ = device.advance(to: start.advanced(by: .hours(1)))
    return true
  }

  static let start = Instant.min.advanced(by: .days(20_000))
  private static let name = valid { () throws(Refusal) in try DeviceID("phone") }
  private static let zone = valid { () throws(Refusal) in try TimeZoneID("Europe/Berlin") }

  /// A value whose parts are written here and known to be valid.
  private static func valid<Value>(_ make: () throws(Refusal) -> Value) -> Value {
    do { return try make() } catch { preconditionFailure("\(error)") }
  }
}
