/// The state of a device after an event and before the next one.
public struct DeviceSnapshot: Sendable {
  /// The sequence of the last event before the snapshot, or 0 if there is none.
  public let sequence: UInt64
  /// The device, as of the event or of a later instant before the next event. After a restatement of the device's time,
  /// the instant is earlier than the event.
  public let device: Device

  /// Creates a snapshot.
  public init(_ device: Device, sequence: UInt64) {
    self.sequence = sequence
    self.device = device
  }
}
