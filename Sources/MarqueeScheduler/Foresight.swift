import MarqueeModel

/// The decisions that a device makes if no event occurs, with the fronts and the evidence of its stacks.
///
/// Timelines, windows and habits continue, but no app publishes anything, and the user does nothing. The device is
/// copied. Call ``advance()`` until it returns `false`; each call computes one wake of the device.
public struct Foresight: Sendable {
  /// The maximum period.
  public static let durationMax = TimeSpan.hours(48)
  /// The maximum number of wakes.
  public static let wakeCountMax = 2_000

  /// The instant at which the foresight begins.
  public let start: Instant
  /// The instant until which everything is known so far.
  public private(set) var end: Instant
  /// The decisions, oldest first.
  public private(set) var decisions: [Decision] = []
  /// The device's stacks, in the order of their creation.
  public var stacks: [ForeseenStack] { recorder.stacks }
  /// The device at ``end``.
  public private(set) var device: Device
  private let until: Instant
  private let sizeMax: Int
  private var wakeCount = 0
  private var decisionSize = 0
  private var recorder = StackRecorder()

  /// Creates a foresight that begins at the device's time.
  ///
  /// - Parameters:
  ///   - device: The device.
  ///   - until: The end of the period.
  ///   - sizeMax: The maximum approximate size of everything that is foreseen, in bytes. The wake that exceeds it is
  ///     the last one.
  /// - Throws: ``RequestError`` with the field `until_ms` if the end is in the device's past, or further ahead than
  ///   ``durationMax``.
  public init(of device: Device, until: Instant, sizeMax: Int) throws(RequestError) {
    guard until >= device.now else {
      throw RequestError(.invalidArgument, field: "until_ms", "is before the device's time")
    }
    guard until <= device.now.advanced(by: Self.durationMax) else {
      throw RequestError(
        .invalidArgument, field: "until_ms",
        "is more than \(Self.durationMax.milliseconds / TimeSpan.hours(1).milliseconds) hours after the device's time")
    }
    (start, end) = (device.now, device.now)
    self.device = device
    self.until = until
    self.sizeMax = sizeMax
    recorder.record(device)
  }

  /// Whether everything until the end of the period is known.
  public var isComplete: Bool { end == until }

  /// Computes the next wake of the device.
  ///
  /// - Returns: Whether there may be another one.
  public mutating func advance() -> Bool {
    guard let wake = device.nextWake, wake <= until else {
      end = until
      return false
    }
    guard wakeCount < Self.wakeCountMax, decisionSize + recorder.size <= sizeMax else { return false }
    wakeCount += 1
    for action in device.advance(to: wake) {
      switch action.order {
      case .rotate(let decision, _), .suggest(let decision, _):
        decisions.append(decision)
        decisionSize += decision.encoded.count
      case .withdraw, .scroll, .updateStack, .removeStack, .addHomeWidget, .removeHomeWidget, .refresh, .requestReload,
        .performFocusFilter:
        break
      }
    }
    end = wake
    recorder.record(device)
    return true
  }
}
