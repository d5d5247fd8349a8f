import MarqueeModel

/// An event of a device in the journal.
public struct JournalEntry: Sendable {
  /// The device.
  public let device: DeviceID
  /// The sequence of the event, counted from 1 for each device.
  public let sequence: UInt64
  /// The device's time when the event was applied.
  public let at: Instant
  /// The event.
  public let event: Event

  /// Creates an entry.
  public init(_ device: DeviceID, sequence: UInt64, at: Instant, _ event: Event) {
    self.device = device
    self.sequence = sequence
    self.at = at
    self.event = event
  }
}
