import Histogram
import MarqueeClient
import MarqueeModel
import MarqueeTransport
import MarqueeWire
import NIOCore

/// Displays that each watch their own device, and measure the latency of its rotations.
///
/// `@unchecked Sendable`: accessed only on the event loop, on which all tasks run.
final class WatchingFleet: @unchecked Sendable {
  /// The number of watchers per connection; a server allows 256 calls.
  private static let watcherCountMax = 250

  private let configuration: ClientConfiguration
  private let endpoint: Endpoint
  private var begunCount = 0
  private var failure: (any Error)?
  /// The times from due rotations to their arrival at a display, in microseconds.
  private var delays = Histogram<UInt32>(highestTrackableValue: 600_000_000)

  init(_ endpoint: Endpoint, _ loop: any EventLoop) {
    self.endpoint = endpoint
    var configuration = ClientConfiguration()
    configuration.eventLoopGroup = loop
    self.configuration = configuration
  }

  /// Watches devices while `body` runs, which starts when all displays have received the initial state.
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

  /// Returns the latencies in milliseconds: count, median, 99th percentile and maximum.
  var lateness: (count: Int, p50: Double, p99: Double, max: Double) {
    let (p50, p99) = (delays.valueAtPercentile(50), delays.valueAtPercentile(99))
    return (Int(delays.totalCount), Double(p50) / 1e3, Double(p99) / 1e3, Double(delays.max) / 1e3)
  }

  private func watch(_ display: DisplayClient, _ device: DeviceID) async {
    do {
      var hasBegun = false
      for try await update in try display.watch(device) {
        switch update.change {
        case .state where hasBegun: throw BenchmarkError("a watcher fell behind and was reset")
        case .state:
          hasBegun = true
          begunCount += 1
        case .front: delays.record(UInt64(max(0, LoadMeter.wallMicroseconds - update.at.milliseconds * 1_000)))
        case .entry, .label: break
        case .stack, .removed, .homeWidgetAdded, .homeWidgetRemoved, .heartbeat, .timeZone:
          throw BenchmarkError("unexpected update")
        }
      }
    } catch {
      failure = failure ?? error
    }
  }
}
