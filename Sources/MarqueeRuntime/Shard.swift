import Logging
import MarqueeJournal
import MarqueeModel
import MarqueeScheduler

/// A partition of the devices, and the single event loop that changes them.
struct Shard: Sendable {
  let index: Int
  let count: Int
  let configuration: Runtime.Configuration
  let clock: any WallClock
  let journal: any DeviceJournal
  let sink: any ActionSink
  let logger: Logger
  let metrics: RuntimeMetrics
  let deviceQuota: DeviceQuota
  let queue: RequestQueue
  /// Called after each write attempt with whether it succeeded.
  var writeEnded: @Sendable (_ isWritten: Bool) -> Void = { _ in }

  /// Returns the index of the event loop of a device, of `count` event loops. It serves all devices of a `ShardID`.
  ///
  /// - Parameters:
  ///   - device: The device.
  ///   - count: The number of event loops.
  ///   - shardCount: The number of shards into which all devices are divided.
  static func index(of device: DeviceID, count: Int, of shardCount: Int = ShardID.countDefault) -> Int {
    ShardID(of: device, count: shardCount).eventLoop(of: count)
  }

  /// Runs the event loop until the queue is closed and empty. Every request is completed before this returns.
  ///
  /// - Throws: The journal's error if it is not transient, or `CancellationError`.
  func run() async throws {
    var loop = ShardLoop(self)
    do {
      try await loop.run()
      loop.completeMessages(Self.end())
    } catch {
      await loop.close(cause: error)
      throw error
    }
  }

  /// Closes the queue, and fails everything in it, if the event loop cannot be run.
  func close(cause: any Error) async {
    var loop = ShardLoop(self)
    await loop.close(cause: cause)
  }

  /// Logs that the entry of a loaded device in the wake schedule is not valid and is computed again, unless that is
  /// because the configured policy has changed.
  func reportInvalidWake(of device: Device) {
    guard device.configuredPolicy == configuration.policy else { return }
    logger.warning("a stored wake was corrupt and has been computed again", metadata: ["device": "\(device.id)"])
  }

  static func end(cause: (any Error)? = nil) -> RuntimeError {
    RuntimeError(.stopped, "the runtime has stopped", cause: cause)
  }
}
