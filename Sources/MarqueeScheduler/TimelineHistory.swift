public import MarqueeModel

/// The timelines of a widget's instance in a past period.
public struct TimelineHistory: Sendable {
  /// The device at the end of the period.
  public let device: Device
  /// The spans of the period, oldest first; each begins when the previous one ends. The last one ends with the period.
  public let spans: [TimelineSpan]

  /// Creates a history.
  public init(device: Device, spans: [TimelineSpan]) {
    self.device = device
    self.spans = spans
  }
}
