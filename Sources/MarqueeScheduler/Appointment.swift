public import MarqueeModel

/// When a device next needs to run, and by which configured policy: so much is known of it without loading it.
public struct Appointment: Sendable {
  public let device: DeviceID
  /// `nil` when it need not run by itself.
  public let wake: Instant?
  public let policy: Policy

  /// What a device needs that runs by itself at `wake` and knows that configured policy.
  public init(_ device: DeviceID, wake: Instant?, policy: Policy) {
    self.device = device
    self.wake = wake
    self.policy = policy
  }

  /// What `device` needs.
  public init(_ device: Device) {
    self.init(device.id, wake: device.nextWake, policy: device.configuredPolicy)
  }
}
