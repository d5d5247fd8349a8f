import Dispatch
import MarqueeModel
import MarqueeRPC
import MarqueeRuntime
import MarqueeScheduler
import MarqueeTransport
import MarqueeWire
import Synchronization

/// The handler of `Foresee`, which computes the decisions of a device up to two days ahead.
final class ForesightHandler: Sendable {
  /// The maximum number of concurrent calls, each of which has a copy of a device.
  static let countMax = 32
  /// The default period.
  private static let durationDefault = TimeSpan.hours(24)

  /// A single thread for all calls, so that event loops keep the other processors.
  private final class Worker: TaskExecutor {
    static let shared = Worker()
    private let queue = DispatchQueue(label: "marquee.foresight", qos: .utility)

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
  }

  private let runtime: Runtime
  private let running = Atomic(0)

  init(runtime: Runtime) {
    self.runtime = runtime
  }

  func add(to router: inout ServiceRouter) {
    router.unary(AdminService.foresee, for: .viewer) { request in
      let count = self.running.add(1, ordering: .relaxed).newValue
      defer { self.running.subtract(1, ordering: .relaxed) }
      guard count <= Self.countMax else {
        throw RPCStatus(.resourceExhausted, "too many concurrent calls (foresight-count-max: \(Self.countMax))")
      }
      let device = try await self.runtime.read(request.device) { $0 }
      let until = request.until ?? device.now.advanced(by: Self.durationDefault)
      let foresight = try Foresight(of: device, until: until, sizeMax: AdminHandlers.pageSizeMax)
      return ForeseeResponse(
        try await withTaskExecutorPreference(Worker.shared) { try await Self.completed(foresight) })
    }
  }

  /// Computes the wakes one by one, so that calls share the thread.
  private static func completed(_ foresight: Foresight) async throws -> Foresight {
    var foresight = foresight
    while foresight.advance() {
      try Task.checkCancellation()
      await Task.yield()
    }
    return foresight
  }
}

extension ForeseeResponse {
  fileprivate init(_ foresight: Foresight) {
    self.init(
      at: foresight.start, until: foresight.end, timeZone: foresight.device.timeZone, decisions: foresight.decisions,
      stacks: foresight.stacks, names: foresight.device.names(in: foresight.decisions.map(\.explanation)))
  }
}
