import MarqueeModel
import MarqueeScheduler

/// The snapshot policy: the bytes written for a device, and the events replayed when it is loaded, stay proportional to
/// its events.
extension LoadedDevice {
  /// The maximum ratio of a snapshot's size to that of the events since the last one.
  private static let sizeRatioMax = 8
  /// The size in bytes from which a snapshot is expensive. A larger one is taken once the events since the last one are
  /// twice as large.
  private static let largeSize = 16_777_216
  /// The size in bytes up to which a snapshot is always written.
  private static let smallSize = 65_536
  /// The number of strides after which a snapshot is always taken, which bounds the number of replayed events.
  private static let strideCountMax: UInt64 = 64

  /// Returns whether to take a snapshot after the last event.
  func isSnapshotDue(_ configuration: Runtime.Configuration) -> Bool {
    guard sequence.isMultiple(of: configuration.snapshotStride) else { return false }
    let size = device.snapshotSize
    guard size <= configuration.snapshotSizeMax else { return false }
    return isWorthIt(size) || sequence.isMultiple(of: configuration.snapshotStride * Self.strideCountMax)
  }

  /// Returns whether to take a snapshot before the device is evicted or the runtime stops.
  func isSnapshotDueAtEnd(_ configuration: Runtime.Configuration) -> Bool {
    guard sequence > snapshotSequence else { return false }
    let size = device.snapshotSize
    guard size <= configuration.snapshotSizeMax else { return false }
    // The events that were replayed when the device was loaded are not counted; they are fewer than a stride.
    return isWorthIt(size) || sequence / configuration.snapshotStride > snapshotSequence / configuration.snapshotStride
  }

  private func isWorthIt(_ size: Int) -> Bool {
    size > Self.largeSize ? 2 * size <= journaledSize : size <= Self.smallSize + Self.sizeRatioMax * journaledSize
  }
}
