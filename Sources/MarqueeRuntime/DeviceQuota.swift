import MarqueeModel
import Synchronization

/// The number of devices of all shards, including those about to be written, and its limit.
final class DeviceQuota: Sendable {
  private let countMax: Int
  private let state = Mutex(0)

  /// Creates an empty quota of at most `countMax` devices.
  init(countMax: Int) {
    self.countMax = countMax
  }

  /// The number of devices.
  var count: Int { state.withLock(\.self) }

  /// Sets the number of existing devices.
  func begin(with count: Int) { state.withLock { $0 = count } }

  /// Adds existing devices, without regard to the limit.
  func add(_ count: Int) { state.withLock { $0 += count } }

  /// Adds a device.
  ///
  /// - Throws: `RequestError` `resourceExhausted` if there are too many devices.
  func join() throws(RequestError) {
    try state.withLock { (count) throws(RequestError) in
      guard count < countMax else { throw .over(limit: "device-count-max", maximum: countMax, count: count + 1) }
      count += 1
    }
  }

  /// Subtracts devices that could not be written.
  func leave(_ count: Int) { state.withLock { $0 -= count } }
}
