import MarqueeModel
import MarqueeScheduler

/// A device in memory.
///
/// A batch changes the device in place, because copying the parts that an event changes costs more than the event.
/// Between batches the device equals its durable state: if a batch cannot be written, its devices are reloaded.
final class LoadedDevice {
  var device: Device
  /// The sequence of the last event.
  var sequence: UInt64
  /// The sequence when the device was loaded or its last snapshot was taken.
  var snapshotSequence: UInt64
  /// The approximate number of bytes of the events since then.
  var journaledSize = 0
  /// The bytes that apps have written recently.
  var writes = AppBudgets()
  /// The donations that the device has relearned recently, by app.
  var relearnings = AppBudgets()
  /// The next wake in the journal's wake schedule, `nil` for none. ``Instant/min`` if the entry is outdated for another
  /// reason.
  var storedWake: Instant?
  /// Whether the device was used since ``DeviceCache`` last considered it for eviction.
  var isRecent = true
  /// Whether the device is in the ``DeviceCache``.
  var isCached = false
  /// The index of the device in the current batch, if it is part of it.
  var batchIndex: Int?
  /// The wake that the loop last queued for the device.
  var queuedWake: Instant?
  /// Whether the device's configured policy may have changed since the loop last compared it.
  var needsPolicyCheck = true

  init(_ device: Device, sequence: UInt64, snapshotSequence: UInt64, storedWake: Instant?) {
    self.device = device
    self.sequence = sequence
    self.snapshotSequence = snapshotSequence
    self.storedWake = storedWake
  }

  /// Returns an independent copy, which is not cached.
  func copy() -> LoadedDevice {
    let copy = LoadedDevice(device, sequence: sequence, snapshotSequence: snapshotSequence, storedWake: storedWake)
    copy.journaledSize = journaledSize
    copy.writes = writes
    copy.relearnings = relearnings
    return copy
  }

  /// A snapshot of the current state.
  var snapshot: DeviceSnapshot { DeviceSnapshot(device, sequence: sequence) }

  /// The device's entry for the wake schedule.
  var scheduledWake: ScheduledWake {
    ScheduledWake(device)
  }

  /// Whether the wake schedule must be updated, because the device's next wake is earlier or the stored wake is past.
  ///
  /// A stored wake that is too early costs one evaluation of the device after a restart. Postponing the stored wake
  /// each time would cost one write per event.
  var isStoredWakeStale: Bool {
    guard device.nextWake != storedWake else { return false }
    guard let storedWake else { return true }
    return storedWake <= device.now || storedWake > device.nextWake ?? .max
  }
}
