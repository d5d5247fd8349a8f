import MarqueeModel

/// How long a widget was in front of visible stacks, by the hour, for the last day (rule T9).
///
/// Shares are read on a grid of whole hours, so that the reload budget is a step function of time and a late look
/// finds what a punctual one would have found.
struct FrontTime: Equatable, Sendable {
  private struct Hour: Equatable, Sendable {
    let index: Int64
    var milliseconds: Int64
  }

  private static let hourLength: Int64 = 3_600_000
  private static let dayLength: Int64 = 24

  private var hours: [Hour] = []

  init() {}

  /// Adds the time from `start` to `end`, which is not before what was added earlier.
  mutating func add(from start: Instant, to end: Instant) {
    let last = end.milliseconds / Self.hourLength
    let first = max(start.milliseconds / Self.hourLength, last - Self.dayLength)
    hours.removeAll { $0.index < last - Self.dayLength }
    guard first <= last else { return }
    for index in first...last {
      let from = max(start.milliseconds, index * Self.hourLength)
      let to = min(end.milliseconds, (index + 1) * Self.hourLength)
      guard from < to else { continue }
      if let at = hours.firstIndex(where: { $0.index == index }) {
        hours[at].milliseconds += to - from
      } else {
        hours.append(Hour(index: index, milliseconds: to - from))
      }
    }
  }

  /// The share of the 24 hours before the last full hour that was spent in front, in `0 ... 1`.
  func share(at now: Instant) -> Double {
    let end = now.milliseconds / Self.hourLength
    let total = hours.reduce(0) { sum, hour in
      hour.index < end && hour.index >= end - Self.dayLength ? sum + hour.milliseconds : sum
    }
    return min(1, Double(total) / Double(Self.dayLength * Self.hourLength))
  }

  /// The next instant at which ``share(at:)`` can give another answer.
  static func nextStep(after now: Instant) -> Instant {
    Instant(milliseconds: (now.milliseconds / hourLength + 1) * hourLength) ?? .max
  }
}

extension FrontTime: ByteCodable {
  func write(to writer: inout ByteWriter) {
    writer.write(hours.count)
    for hour in hours {
      writer.write(hour.index)
      writer.write(hour.milliseconds)
    }
  }

  init(from reader: inout ByteReader) throws(CorruptBytes) {
    for _ in 0..<(try reader.readCount()) {
      hours.append(Hour(index: try reader.readInt64(), milliseconds: try reader.readInt64()))
    }
  }
}
