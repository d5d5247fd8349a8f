import MarqueeModel

/// How long a widget was at the front of at least one visible stack during the last day, by hour (rule T9).
///
/// Durations are read at whole hours, so that the reload budget is a step function of time and does not depend on when
/// it is evaluated.
struct VisibleDuration: Equatable, Sendable {
  private struct Hour: Equatable, Sendable {
    let index: Int64
    var milliseconds: Int64
  }

  private static let hourLength: Int64 = 3_600_000
  private static let dayLength: Int64 = 24

  /// The length of the window that durations are read from, in milliseconds.
  static let windowLength = dayLength * hourLength

  /// When the widget came to the front, or `nil` if it is not visible.
  private(set) var since: Instant?
  /// Completed visible time by ascending hour; hours without any may be absent.
  private var hours: [Hour] = []

  init() {}

  /// Whether the widget is at the front of a visible stack.
  var isInFront: Bool { since != nil }

  /// Records whether the widget is at the front of a visible stack from `now` on.
  mutating func note(isInFront: Bool, at now: Instant) {
    guard isInFront != self.isInFront else { return }
    if let since { add(from: since, to: now) }
    since = isInFront ? now : nil
  }

  /// Returns the milliseconds of visible time in the 24 hours before the last full hour, in `0 ... windowLength`.
  func milliseconds(at now: Instant) -> Int64 {
    let end = now.milliseconds / Self.hourLength
    let start = end - Self.dayLength
    var total = hours.reduce(0) { $1.index >= start && $1.index < end ? $0 + $1.milliseconds : $0 }
    if let since { total += max(0, end * Self.hourLength - max(since.milliseconds, start * Self.hourLength)) }
    return min(total, Self.windowLength)
  }

  /// Returns the next instant at which ``milliseconds(at:)`` can increase, or `nil` if it cannot until the widget
  /// becomes visible again.
  func nextRise(after now: Instant) -> Instant? {
    let hour = now.milliseconds / Self.hourLength
    guard since != nil || hours.last.map({ $0.index >= hour }) ?? false else { return nil }
    return Instant(milliseconds: (hour + 1) * Self.hourLength)
  }

  /// Discards visible time later than `now`.
  mutating func restateTime(at now: Instant) {
    since = since.map { min($0, now) }
    hours.removeAll { $0.index >= now.milliseconds / Self.hourLength }
  }

  private mutating func add(from start: Instant, to end: Instant) {
    let last = end.milliseconds / Self.hourLength
    let first = max(start.milliseconds / Self.hourLength, last - Self.dayLength)
    hours.removeAll { $0.index < last - Self.dayLength }
    for index in first...max(first, last) {
      let from = max(start.milliseconds, index * Self.hourLength)
      let to = min(end.milliseconds, (index + 1) * Self.hourLength)
      guard from < to else { continue }
      if hours.last?.index == index {
        hours[hours.count - 1].milliseconds += to - from
      } else {
        hours.append(Hour(index: index, milliseconds: to - from))
      }
    }
  }
}

extension VisibleDuration: BinaryCodable {
  func write(to writer: inout ByteWriter) {
    writer.write(since)
    writer.write(hours.count)
    for hour in hours {
      writer.write(hour.index)
      writer.write(hour.milliseconds)
    }
  }

  init(from reader: inout ByteReader) throws(BinaryDecodingError) {
    since = try reader.readOptional()
    for _ in 0..<(try reader.readCount()) {
      let hour = Hour(index: try reader.readInt64(), milliseconds: try reader.readInt64())
      guard (1...Self.hourLength).contains(hour.milliseconds), hours.last.map({ $0.index < hour.index }) ?? true else {
        throw reader.corrupt("visible hours are not in ascending order, or \(hour.milliseconds) ms in one hour")
      }
      hours.append(hour)
    }
  }
}
