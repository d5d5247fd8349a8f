import Glibc
import MarqueeClient
import MarqueeModel
import MarqueeRPC
import MarqueeTransport
import MarqueeWire
import NIOCore

/// Displays that watch one device, and one display that changes it.
///
/// `@unchecked Sendable`: accessed only on the event loop, on which all tasks run.
final class WatchingCrowd: @unchecked Sendable {
  /// The number of watchers per connection; a server allows 256 calls.
  private static let watcherCountMax = 250
  /// The time limit for watchers to start, and for a change to reach them.
  private static let timeMax = TimeAmount.seconds(60)

  private let loop: any EventLoop
  private let endpoint: Endpoint
  private let configuration: ClientConfiguration
  /// The number of watchers that have received the initial state.
  private var begunCount = 0
  /// The front widget after the change.
  private var expected: Widget?
  /// The times at which watchers received the change, on the monotonic clock.
  private var arrivals: [UInt64] = []
  private var waiting: (isOver: () -> Bool, continuation: CheckedContinuation<Void, any Error>)?
  private var failure: (any Error)?

  init(_ endpoint: Endpoint, _ loop: any EventLoop) {
    self.endpoint = endpoint
    self.loop = loop
    var configuration = ClientConfiguration()
    configuration.eventLoopGroup = loop
    self.configuration = configuration
  }

  /// Performs changes one after another, each after all `count` watchers have received the previous one. Called on the
  /// event loop.
  ///
  /// - Parameter begun: Called when all watchers have received the initial state.
  func changes(
    _ rounds: Int, seenBy count: Int, begun: () throws -> Void = {}
  ) async throws -> [FanOutChange] {
    let stage = try FanOutStage()
    let person = RPCClient(endpoint, configuration: configuration)
    try await stage.build(person)
    return try await withThrowingTaskGroup { group in
      for start in stride(from: 0, to: count, by: Self.watcherCountMax) {
        let display = DisplayClient(RPCClient(endpoint, configuration: configuration))
        let end = min(start + Self.watcherCountMax, count)
        for _ in start..<end { group.addTask { await self.watch(display, stage.device) } }
        try await wait { self.begunCount == end }
      }
      try begun()
      var changes: [FanOutChange] = []
      // The first round is a warm-up, in which memory grows.
      for round in 0...rounds {
        let change = try await change(stage, to: stage.widgets[(round + 1) % stage.widgets.count], by: person, count)
        if round > 0 { changes.append(change) }
      }
      group.cancelAll()
      return changes
    }
  }

  private func change(
    _ stage: FanOutStage, to widget: Widget, by person: RPCClient, _ count: Int
  ) async throws -> FanOutChange {
    expected = widget
    arrivals.removeAll(keepingCapacity: true)
    let (begin, watcherStart, start) = (LoadMeter.now, Self.threadMilliseconds(), Spread.cpuMicroseconds())
    try await DisplayClient(person).report(.scrolled(stage.stack, to: widget), on: stage.device)
    let answered = LoadMeter.now
    try await wait { self.arrivals.count == count }
    let watcherCPU = Self.threadMilliseconds() - watcherStart
    return FanOutChange(
      delays: arrivals.map { Double($0 - begin) / 1e6 }, answer: Double(answered - begin) / 1e6,
      serverCPU: (Spread.cpuMicroseconds() - start) / 1e3 - watcherCPU, watcherCPU: watcherCPU)
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
        case .front(let front) where front.widget == expected: arrivals.append(LoadMeter.now)
        case .front, .stack, .removed, .entry, .homeWidgetAdded, .homeWidgetRemoved, .heartbeat, .label, .timeZone:
          throw BenchmarkError("unexpected update")
        }
        noteProgress()
      }
    } catch {
      failure = failure ?? error
      noteProgress()
    }
  }

  /// Waits until `isOver`.
  ///
  /// - Throws: The error of a failed watcher.
  private func wait(until isOver: @escaping () -> Bool) async throws {
    let alarm = loop.scheduleTask(in: Self.timeMax) {
      self.failure = self.failure ?? BenchmarkError("watchers did not receive the expected updates")
      self.noteProgress()
    }
    defer { alarm.cancel() }
    try await withCheckedThrowingContinuation { continuation in
      waiting = (isOver, continuation)
      noteProgress()
    }
  }

  private func noteProgress() {
    guard let (isOver, continuation) = waiting, failure != nil || isOver() else { return }
    waiting = nil
    continuation.resume(with: failure.map { .failure($0) } ?? .success(()))
  }

  /// Returns the CPU time of this thread, the event loop's.
  private static func threadMilliseconds() -> Double {
    var time = timespec()
    let code = clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    precondition(code == 0, "the thread CPU clock cannot be read")
    return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
  }
}

/// The watched device: one stack with two widgets.
struct FanOutStage {
  let device: DeviceID
  let stack: StackID
  let widgets: [Widget]

  init() throws {
    device = try DeviceID("6fa1b2c3-4d5e-4f60-8a7b-000000000000")
    stack = try StackID("home-screen-page-1-stack-0")
    let app = try AppID("com.example.applications.number0")
    widgets = try ["Today", "Week"].map { Widget(kind: WidgetKind(app: app, name: try KindName($0))) }
  }

  func build(_ connection: RPCClient) async throws {
    let display = DisplayClient(connection)
    try await display.registerDevice(device, timeZone: TimeZoneID("UTC"))
    let kinds = try widgets.map {
      try WidgetDescriptor(kind: $0.kind, displayName: $0.kind.name.text, families: [.systemSmall])
    }
    _ = try await connection.unary(
      ProviderService.registerKinds, RegisterKindsRequest(device: device, app: widgets[0].kind.app, kinds: kinds))
    try await display.edit(stack, on: device, .create(.systemSmall))
    for widget in widgets { try await display.edit(stack, on: device, .add(widget, at: nil)) }
  }
}
