public import MarqueeModel

/// The time without messages on a stream after which the server sends a heartbeat: a message without content, by which
/// the client knows that the connection works.
public struct HeartbeatInterval: Hashable, Sendable {
  /// The minimum, `heartbeat-interval-min`.
  public static let minimum = TimeSpan.seconds(1)
  /// The maximum, `heartbeat-interval-max`.
  public static let maximum = TimeSpan.hours(1)

  /// No heartbeats.
  public static let none = HeartbeatInterval(time: nil)

  /// The time; `nil` for no heartbeats.
  public let time: TimeSpan?

  private init(time: TimeSpan?) { self.time = time }

  /// Creates an interval.
  ///
  /// - Throws: ``RequestError`` (`invalidArgument`) if `time` is less than ``minimum`` or greater than ``maximum``.
  public init(_ time: TimeSpan) throws(RequestError) {
    guard time >= Self.minimum else {
      throw RequestError(
        .invalidArgument,
        "\(time.words) is less than heartbeat-interval-min (\(Self.minimum.words))")
    }
    guard time <= Self.maximum else {
      throw RequestError(
        .invalidArgument,
        "\(time.words) exceeds heartbeat-interval-max (\(Self.maximum.words))")
    }
    self.time = time
  }

  /// The number of milliseconds in messages; 0 for no heartbeats.
  var number: UInt64 { time.map { UInt64($0.milliseconds) } ?? 0 }

  /// Decodes an interval.
  init(_ number: UInt64, _ name: String) throws(RequestError) {
    guard number != 0 else {
      self = .none
      return
    }
    self = try Field.within(name, Self(TimeSpan(milliseconds: Int64(clamping: number))))
  }
}
