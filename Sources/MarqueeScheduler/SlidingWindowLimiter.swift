import MarqueeModel

/// The instants of events that are limited in any 24 hours.
///
/// Contains at least those of the last 24 hours, and at most ``Policy/countMax``, the maximum limit of any policy.
struct SlidingWindowLimiter: Equatable, Sendable {
  static let window = TimeSpan.days(1)

  /// The instants, in ascending order.
  private(set) var instants: [Instant] = []

  init() {}

  /// The newest instant.
  var last: Instant? { instants.last }

  mutating func record(_ now: Instant) {
    instants.removeAll { $0.advanced(by: Self.window) <= now }
    if instants.count == Policy.countMax { instants.removeFirst() }
    instants.append(now)
  }

  /// Removes the instants after `instant`.
  mutating func removeAll(after instant: Instant) { instants.removeAll { $0 > instant } }

  /// Returns the number of events in the 24 hours up to `now`.
  func count(at now: Instant) -> Int {
    instants.count - (instants.firstIndex { $0.advanced(by: Self.window) > now } ?? instants.count)
  }

  /// Returns when the number of events falls below `maximum`, which it must have reached, or `nil` if `maximum` is 0.
  func clears(maximum: Int) -> Instant? {
    maximum == 0 ? nil : instants[instants.count - maximum].advanced(by: Self.window)
  }
}

extension SlidingWindowLimiter: BinaryCodable {
  func write(to writer: inout ByteWriter) {
    writer.write(instants)
  }

  init(from reader: inout ByteReader) throws(BinaryDecodingError) {
    instants = try reader.readRisingInstants(countMax: Policy.countMax)
  }
}
