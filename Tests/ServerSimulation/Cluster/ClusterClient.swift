import MarqueeCluster
import MarqueeJournal
import MarqueeModel
import MarqueeRuntime
import MarqueeScheduler
import MarqueeTestSupport

/// A client of a simulated cluster that calls one device through the node that it believes to own it.
///
/// `@unchecked Sendable`: accessed only on the world's thread.
final class ClusterClient: @unchecked Sendable {
  private let cluster: SimulatedCluster
  private let device: DeviceID
  private let shard: ShardID
  /// The index of the node that is called next.
  private var target: Int

  private var world: World { cluster.world }
  private var ledger: ClusterLedger { cluster.ledger }

  init(_ cluster: SimulatedCluster, _ device: DeviceID) {
    self.cluster = cluster
    self.device = device
    shard = ShardID(of: device, count: SimulatedCluster.shardCount)
    target = cluster.world.number(0...cluster.nodes.count - 1)
  }

  /// Calls the node that has the device, as far as the client knows.
  private func call<Value: Sendable>(
    _ body: @escaping @Sendable (ClusterProcess, Runtime) async throws -> Value
  ) async -> ClusterProcess.Outcome<Value> {
    let outcome = await cluster.nodes[target].process.call(body)
    switch outcome {
    case .answered: break
    case .refused(let owner?): target = cluster.nodes.firstIndex { $0.name == owner } ?? target
    case .refused(nil), .unknown: target = world.number(0...cluster.nodes.count - 1)
    }
    return outcome
  }

  /// Writes until the faults have ended.
  func write() async {
    guard await setUp() else { return }
    while !cluster.isWindingDown {
      _ = await isWritten()
      await pause(20...400 * cluster.pace)
    }
  }

  /// Creates the device with a stack of two widgets that alternate.
  private func setUp() async -> Bool {
    let device = device
    let events = valid { try Self.setUp(world.number(2...6)) }
    while !cluster.isWindingDown {
      let outcome = await call { _, runtime in
        _ = try await runtime.register(device, timeZone: SimulationContext.zone)
        for event in events {
          do { try await runtime.submit(event, to: device) } catch is RequestError {
            // The event was written by an earlier attempt.
          }
        }
      }
      if case .answered = outcome { return true }
      await pause(20...300)
    }
    return false
  }

  private static func setUp(_ period: Int) throws -> [Event] {
    let (app, stack) = (SimulationContext.apps[0], SimulationContext.stacks[0])
    let kinds = SimulationContext.kinds(of: app)
    let widgets = kinds.map { Widget(kind: $0.kind) }
    let timelines = try (0..<2).map { parity in
      try (0..<40).map { index in
        let score = index % 2 == parity ? 1.0 : 0.0
        return TimelineEntry(
          date: World.start.advanced(by: .seconds(Int64(index * period - 30))),
          relevance: try TimelineEntryRelevance(score: score))
      }
    }
    return [.kindsRegistered(app, kinds), .stackEdited(stack, .create(.systemSmall))]
      + widgets.map { .stackEdited(stack, .add($0, at: nil)) }
      + zip(widgets, timelines).map { .timelinePublished($0, Timeline(submitted: $1, policy: .never)) }
  }

  /// Writes once.
  ///
  /// - Returns: Whether the write was acknowledged.
  private func isWritten() async -> Bool {
    let device = device
    let number = ledger.history.beginWrite(device)
    let outcome = await call { _, runtime in try await runtime.submit(ClusterLedger.event(number), to: device) }
    ledger.history.endWrite(number, outcome.ofWrite)
    return outcome.ofWrite == .acknowledged
  }

  /// Reads until the faults have ended.
  func read() async {
    while !cluster.isWindingDown {
      _ = await isRead()
      await pause(20...300 * cluster.pace)
    }
  }

  /// Reads once, at a random node now and then.
  ///
  /// - Returns: Whether the read was answered.
  private func isRead() async -> Bool {
    if world.once(in: 3) { target = world.number(0...cluster.nodes.count - 1) }
    let (device, begin, latest) = (device, ledger.history.begin(), ledger.latestTenure(shard))
    let outcome = await call { process, runtime in
      do {
        return try await runtime.read(device) { (ClusterLedger.number(of: $0), process.tenure(of: device)) }
      } catch let error as RequestError where error.code == .notFound {
        return (nil, process.tenure(of: device))
      }
    }
    guard case .answered(let (number, tenure)) = outcome else { return false }
    ledger.endRead(device, number, began: begin, by: tenure, latest)
    return true
  }

  /// Writes and reads until both succeed.
  ///
  /// - Returns: Whether they did within a hundred attempts each.
  func isServed() async -> Bool {
    for call in [isWritten, isRead] {
      var count = 0
      while await !call() {
        count += 1
        guard count < 100 else { return false }
        await pause(100...100)
      }
    }
    return true
  }

  private func pause(_ milliseconds: ClosedRange<Int>) async {
    // These tasks are never cancelled, so this does not throw.
    try? await world.sleep(world.milliseconds(milliseconds))
  }
}

extension ClusterProcess.Outcome {
  fileprivate var ofWrite: RegisterHistory.Outcome {
    switch self {
    case .answered: .acknowledged
    case .refused: .refused
    case .unknown: .unknown
    }
  }
}
