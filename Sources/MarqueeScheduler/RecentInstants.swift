import MarqueeModel

/// When something happened that has a budget for any 24 hours: the instants of the last 24 hours, and perhaps older
/// ones; the newest ``Policy/countMax`` at most, which is as many as any policy looks at.
struct RecentInstants: Equatable, Sendable {
  static let window = TimeSpan.days(1)

  /// The instants, oldest first.
  private(set) var instants: [Instant] = []

  init() {}

  /// The newest.
  var last: Instant? { instants.last }

  mutating func record(_ now: Instant) {
    instants.removeAll { $0.advanced(by: Self.window) <= now }
    if instants.count == Policy.countMax { instants.removeFirst() }
    instants.append(now)
  }

  /// How many fell in the 24 hours up to `now`.
  func count(at now: Instant) -> Int {
    instants.count - (instants.firstIndex { $0.advanced(by: Self.window) > now } ?? instants.count)
  }

  /// When there will be fewer than `maximum`, which there are not now; `nil` when `maximum` is 0.
  func clears(maximum: Int) -> Instant? {
    maximum == 0 ? nil : instants[instants.count - maximum].advanced(by: Self.window)
  }
}

extension RecentInstants: ByteCodable {
  func write(to writer: inout ByteWriter) {
    writer.write(instants)
  }

  init(from reader: inout ByteReader) throws(CorruptBytes) {
    instants = try reader.readRisingInstants(countMax: Policy.countMax)
  }
}
