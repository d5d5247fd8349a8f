import Histogram
import MarqueeClient
import MarqueeModel
import MarqueeTransport
import MarqueeWire
import NIOCore

/// Displays that each watch a device of their own, and note how late they have its turns.
///
/// `@unchecked Sendable`: all state is touched on the loop alone, where all tasks run.
final class WatchingFleet: @unchecked Sendable {
  /// Watchers on each connection; a server takes 256 calls on one.
  private static let watcherCountMax = 250

  private let configuration: ClientConfiguration
  private let endpoint: Endpoint
  private var begunCount = 0
  private var failure: (any Error)?
  /// Microseconds from when a turn was due until a display has it.
  private var delays = Histogram<UInt32>(highestTrackableValue: 600_000_000)

  init(_ endpoint: Endpoint, _ loop: any EventLoop) {
    self.endpoint = endpoint
    var configuration = ClientConfiguration()
    configuration.eventLoopGroup = loop
    self.configuration = configuration
  }

  /// Watches the devices of these numbers while `body` runs, which begins when all have their devices' states.
  func watch<Value>(_ numbers: Range<Int>, while body: () async throws -> Value) async throws -> Value {
    try await withThrowingTaskGroup { group in
      for start in stride(from: numbers.lowerBound, to: numbers.upperBound, by: Self.watcherCountMax) {
        let display = DisplayClient(RPCClient(endpoint, configuration: configuration))
        for number in start..<min(start + Self.watcherCountMax, numbers.upperBound) {
          let device = try FleetHome.name(number)
          group.addTask { await self.watch(display, device) }
        }
      }
      while begunCount < numbers.count {
        if let failure { throw failure }
        try await Task.sleep(for: .milliseconds(10))
      }
      let value = try await body()
      if let failure { throw failure }
      group.cancelAll()
      return value
    }
  }

  /// How late turns came, in milliseconds: how many, the median, the 99th percentile, the latest.
  var lateness: (count: Int, p50: Double, p99: Double, max: Double) {
    let (p50, p99) = (delays.valueAtPercentile(50), delays.valueAtPercentile(99))
    return (Int(delays.totalCount), Double(p50) / 1e3, Double(p99) / 1e3, Double(delays.max) / 1e3)
  }

  private func watch(_ display: DisplayClient, _ device: DeviceID) async {
    do {
      var hasBegun = false
      for try await update in try display.watch(device) {
        switch update.change {
        case .state where hasBegun: throw BenchmarkError("a watcher was let go, and began anew")
        case .state:
          hasBegun = true
          begunCount += 1
        case .front: delays.record(UInt64(max(0, LoadMeter.wallMicroseconds - update.at.milliseconds * 1_000)))
        case .entry: break
        case .stack, .removed: throw BenchmarkError("an update that no turn explains")
        }
      }
    } catch {
      failure = failure ?? error
    }
  }
}
