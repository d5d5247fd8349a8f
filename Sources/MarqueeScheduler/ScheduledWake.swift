public import MarqueeModel

/// An entry of the wake schedule: what the runtime must know of a device without loading it.
public struct ScheduledWake: Sendable {
  /// The device.
  public let device: DeviceID
  /// When the device must next be advanced, or `nil` if nothing is scheduled.
  public let wake: Instant?
  /// The configured policy that the device last applied.
  public let policy: Policy

  /// Creates an entry.
  public init(_ device: DeviceID, wake: Instant?, policy: Policy) {
    self.device = device
    self.wake = wake
    self.policy = policy
  }

  /// Creates the entry of a loaded device.
  public init(_ device: Device) {
    self.init(device.id, wake: device.nextWake, policy: device.configuredPolicy)
  }
}
