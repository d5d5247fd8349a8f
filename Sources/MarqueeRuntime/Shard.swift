import Logging
import MarqueeModel
import MarqueeScheduler

/// A part of the devices, and the one loop that changes them.
struct Shard: Sendable {
  let index: Int
  let count: Int
  let configuration: Runtime.Configuration
  let clock: any WallClock
  let journal: any DeviceJournal
  let sink: any ActionSink
  let logger: Logger
  let metrics: RuntimeMetrics
  let population: Population
  let inbox: Inbox
  /// Told whether what was to be written could be.
  var writeEnded: @Sendable (_ isWritten: Bool) -> Void = { _ in }

  /// The index of the shard that a device belongs to, of `count`: FNV-1a over the name's UTF-8, the same always.
  static func index(of device: DeviceID, count: Int) -> Int {
    let sum = device.text.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    return Int(sum % UInt64(count))
  }

  /// Loads the shard's devices and serves them until the inbox is closed and empty; throws when the journal fails
  /// for good or the task is cancelled. In the end every request is answered.
  func run() async throws {
    var loop = ShardLoop(self)
    do {
      try await loop.run()
      loop.refuseWaiting(Self.end())
    } catch {
      inbox.close()
      let end = Self.end(cause: error)
      for request in inbox.take(atMost: .max).requests { request.fail(end) }
      loop.refuseWaiting(end)
      throw error
    }
  }

  private static func end(cause: (any Error)? = nil) -> RuntimeError {
    RuntimeError(.stopped, "the runtime has ended", cause: cause)
  }
}
