import MarqueeModel

/// A decision of a device in the decision log.
public struct RecordedDecision: Sendable {
  /// The device.
  public let device: DeviceID
  /// The decision.
  public let decision: Decision

  /// Creates a record.
  public init(_ decision: Decision, of device: DeviceID) {
    self.device = device
    self.decision = decision
  }
}
