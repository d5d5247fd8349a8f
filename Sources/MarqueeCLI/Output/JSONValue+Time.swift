import MarqueeModel
import MarqueeSimulator
import MarqueeTerminal

extension [JSONValue.Field] {
  /// Returns a time as two fields: RFC 3339 in the device's time zone, and milliseconds since 1970 in `NAME_ms`.
  static func time(_ name: String, _ instant: Instant?, _ clock: DeviceClock) -> [JSONValue.Field] {
    guard let instant else { return [.init(name, .null), .init("\(name)_ms", .null)] }
    return [.init(name, .string(clock.rfc3339(instant))), .init("\(name)_ms", .integer(instant.milliseconds))]
  }
}
