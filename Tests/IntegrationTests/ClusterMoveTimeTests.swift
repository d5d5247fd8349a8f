import Foundation
import MarqueeClient
import MarqueeModel
import MarqueeRPC
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire
import PostgresProcess
import ServerSimulation
import Synchronization
import Testing

/// Goal: a display misses changes of its device for at most a quarter of a second when the device moves between running
/// nodes. Method: changes follow each other as soon as the display shows them, and the shard of the device is moved
/// back and forth meanwhile. `Tests/Scripts/cluster-moves.sh` runs it.
@Suite(
  "Times of moves between nodes", .serialized,
  .enabled(if: PostgresProcess.isExpected, "\(PostgresProcess.missing)"), .timeLimit(.minutes(60)))
struct ClusterMoveTimeTests {
  private static let moveCount = ProcessInfo.processInfo.environment["MARQUEE_CLUSTER_MOVES"].flatMap { Int($0) }
  private static let restartCount = ProcessInfo.processInfo.environment["MARQUEE_CLUSTER_RESTARTS"].flatMap { Int($0) }
  /// The number of devices that are in use while nodes are restarted.
  private static let deviceCount = 300
  /// The time after SIGTERM within which changes are those around a restart.
  private static let restartTime = Duration.seconds(2)
  /// The greatest time between two changes at a display, of 99 % of all moves.
  private static let gapMax = Duration.milliseconds(250)
  /// The number of moves from which the time is required: of fewer, one alone would decide.
  private static let requiredCount = 100

  @Test(
    "A watch shows changes again within 250 ms of a move, and all of them",
    .enabled(if: moveCount != nil, "Tests/Scripts/cluster-moves.sh runs it"))
  func gaps() async throws {
    let count = Self.moveCount ?? 1
    let servers = try ClusterServers()
    try await servers.run(["a", "b", "c"]) { started in
      let nodes = try await CallForwardingTests.nodes(servers, started)
      try await Fixture.build(nodes[0].connection)
      let devices = try (1...24).map { try DeviceID("phone-\($0)") }
      let isOver = Mutex(false)
      async let load = CallForwardingTests.register(
        devices, at: servers.endpoint(nodes[2].name), pause: .milliseconds(10)
      ) { isOver.withLock(\.self) }
      var (moveCount, passedCount) = (0, 0)
      for (index, words) in [(2, "a node that passes on"), (0, "a node that has the device half of the time")] {
        let probe = try await MoveProbe(servers.endpoint(nodes[index].name))
        let changing = Task { try await probe.run() }
        for _ in 1...count {
          moveCount += 1
          try await Task.sleep(for: .milliseconds(Int.random(in: 150...350)))
          let start = ContinuousClock.now
          try await OperatorClient(nodes[2].connection).moveShard(of: Fixture.device, to: nodes[moveCount % 2].name)
          probe.moves.withLock { $0.append(start) }
        }
        try await Task.sleep(for: .seconds(1))
        probe.end()
        let result = try await changing.value
        print("watch at \(words): \(result)")
        let isInTime = count < Self.requiredCount || result.gap(0.99) <= Self.gapMax
        #expect(result.lostCount == 0 && result.failedCount == 0 && result.gaps.count == count && isInTime)
        if result.lostCount == 0, result.failedCount == 0, isInTime { passedCount += 1 }
      }
      isOver.withLock { $0 = true }
      let (callCount, errors) = try await load
      print("light load: \(callCount) calls, \(errors.count) failed")
      #expect(errors.isEmpty, "\(errors.prefix(3))")
      print("\(passedCount) passed, \(2 - passedCount) failed")
    }
  }

  @Test(
    "A watch at another node shows all changes while the node of its device is restarted",
    .enabled(if: restartCount != nil, "Tests/Scripts/cluster-moves.sh runs it"))
  func restarts() async throws {
    let count = Self.restartCount ?? 1
    let servers = try ClusterServers()
    try await servers.run(["a", "b", "c"]) { nodes in
      try await Fixture.build(nodes[2].connection)
      let devices = try (1...Self.deviceCount).map { try DeviceID("phone-\($0)") }
      try await Self.publish(devices, nodes[2].connection)
      let isOver = Mutex(false)
      async let load = CallForwardingTests.register(
        devices, at: servers.endpoint("c"), pause: .milliseconds(10)
      ) { isOver.withLock(\.self) }
      let probe = try await MoveProbe(servers.endpoint("c"), moveTime: Self.restartTime)
      let changing = Task { try await probe.run() }
      var daemon = nodes[0].daemon
      defer { daemon.send(signal: SIGKILL) }
      for _ in 1...count {
        try await OperatorClient(nodes[2].connection).moveShard(of: Fixture.device, to: "a")
        try await Task.sleep(for: .seconds(1))
        probe.moves.withLock { $0.append(.now) }
        daemon.send(signal: SIGTERM)
        #expect(try await daemon.wait() == .code(0))
        // The moves to the node that joins are not those of the one that ends.
        try await Task.sleep(for: Self.restartTime)
        daemon = try Daemon(servers.arguments("a"))
        _ = try await daemon.listening()
        try await servers.waitUntilBalanced(3)
      }
      probe.end()
      let result = try await changing.value
      isOver.withLock { $0 = true }
      let (callCount, errors) = try await load
      print("restarts, \(Self.deviceCount) devices: \(result); \(callCount) other calls, \(errors.count) failed")
      #expect(result.lostCount == 0 && result.failedCount == 0 && result.gaps.count == count && errors.isEmpty)
    }
  }

  /// Gives devices timelines, so that the snapshots that a node writes at the end have a size.
  private static func publish(_ devices: [DeviceID], _ connection: RPCClient) async throws {
    let content = String(repeating: "x", count: 8_000)
    for device in devices {
      try await Fixture.register(connection, device: device)
      let entries = (0..<20).map { Fixture.entry(Fixture.start.advanced(by: .minutes($0)), content) }
      let request = try PublishTimelineRequest(
        device: device, app: Fixture.forecast.kind.app, widget: Fixture.forecast, entries: entries)
      _ = try await connection.unary(ProviderService.publishTimeline, request)
    }
  }
}

/// A display of a device, and the changes that it shows one after the other.
private final class MoveProbe: Sendable {
  /// The times of a probe, and its errors.
  struct Result: CustomStringConvertible {
    /// The greatest time between two changes around each move, in order of length.
    let gaps: [Duration]
    /// The times between two changes away from moves, in order of length.
    let others: [Duration]
    let changeCount: Int
    let lostCount: Int
    let failedCount: Int

    /// Returns a quantile of the gaps.
    func gap(_ quantile: Double) -> Duration { Self.quantile(quantile, of: gaps) }

    private static func quantile(_ quantile: Double, of spans: [Duration]) -> Duration {
      spans.isEmpty ? .zero : spans[min(spans.count - 1, Int((Double(spans.count) * quantile).rounded(.up)) - 1)]
    }

    var description: String {
      func ms(_ span: Duration) -> String { String(format: "%.0f ms", span / .milliseconds(1)) }
      return """
        \(gaps.count) moves, time between two changes p50 \(ms(gap(0.5))), p99 \(ms(gap(0.99))), \
        greatest \(ms(gap(1))); without a move p50 \(ms(Self.quantile(0.5, of: others))), \
        p99 \(ms(Self.quantile(0.99, of: others))); \(changeCount) changes, \(lostCount) lost, \(failedCount) failed
        """
    }
  }

  /// The time after a change at which it counts as lost.
  private static let lossTime = Duration.seconds(5)
  /// The time after the start of a move within which changes are those around the move.
  private let moveTime: Duration

  let moves = Mutex<[ContinuousClock.Instant]>([])
  private let isOver = Mutex(false)
  private let display: DisplayClient
  private let fronts: AsyncStream<(front: Widget?, at: ContinuousClock.Instant)>
  private let watching: Task<Void, any Error>
  /// Lets a change that is never shown be noticed.
  private let ticking: Task<Void, any Error>

  init(_ endpoint: Endpoint, moveTime: Duration = .milliseconds(600)) async throws {
    self.moveTime = moveTime
    display = DisplayClient(RPCClient(endpoint))
    let (stream, continuation) = AsyncStream<(front: Widget?, at: ContinuousClock.Instant)>.makeStream()
    fronts = stream
    let updates = try DisplayClient(RPCClient(endpoint)).watch(Fixture.device)
    watching = Task {
      var screen = Screen()
      for try await update in updates {
        screen.show(update)
        continuation.yield((screen.stacks[Fixture.stack]?.frontWidget, .now))
      }
    }
    ticking = Task {
      while true {
        try await Task.sleep(for: .milliseconds(500))
        continuation.yield((nil, .now))
      }
    }
  }

  func end() { isOver.withLock { $0 = true } }

  /// Changes the front, each time after the display has shown the last change.
  func run() async throws -> Result {
    var iterator = fronts.makeAsyncIterator()
    var shown: [ContinuousClock.Instant] = []
    var (front, lostCount, failedCount) = (await iterator.next()?.front, 0, 0)
    while !isOver.withLock(\.self), !Task.isCancelled {
      let next = front == Fixture.score ? Fixture.forecast : Fixture.score
      let status = try await callStatus {
        try await display.report(.scrolled(Fixture.stack, to: next), on: Fixture.device)
      }
      if status != nil {
        failedCount += 1
        continue
      }
      let reported = ContinuousClock.now
      while let update = await iterator.next() {
        front = update.front ?? front
        if front == next {
          shown.append(update.at)
          break
        }
        if reported.duration(to: update.at) > Self.lossTime {
          lostCount += 1
          break
        }
      }
    }
    watching.cancel()
    ticking.cancel()
    return result(shown, lostCount, failedCount)
  }

  private func result(_ shown: [ContinuousClock.Instant], _ lostCount: Int, _ failedCount: Int) -> Result {
    let moves = moves.withLock(\.self)
    var gaps = [Duration](repeating: .zero, count: moves.count)
    var others: [Duration] = []
    for (before, after) in zip(shown, shown.dropFirst()) {
      let span = before.duration(to: after)
      guard let move = moves.lastIndex(where: { $0 < after }), moves[move] + moveTime > before else {
        others.append(span)
        continue
      }
      gaps[move] = max(gaps[move], span)
    }
    return Result(
      gaps: gaps.sorted(), others: others.sorted(), changeCount: shown.count, lostCount: lostCount,
      failedCount: failedCount)
  }
}
