import MarqueeModel
import MarqueeRuntime
import MarqueeScheduler
import MarqueeTransport
import MarqueeWire

/// The handler of `Foresee`, which computes the decisions of a device up to two days ahead.
struct ForesightHandler: Sendable {
  /// The default period.
  private static let durationDefault = TimeSpan.hours(24)

  /// One queue for all calls.
  private static let executor = SerialTaskExecutor("marquee.foresight")

  let runtime: Runtime
  /// The calls, each of which has a copy of a device.
  let quota: CallQuota

  func add(to router: inout ServiceRouter) {
    router.unary(AdminService.foresee, for: .viewer) { request, principal in
      try await quota.run(for: principal.account) { try await foresee(request) }
    }
  }

  private func foresee(_ request: ForeseeRequest) async throws -> ForeseeResponse {
    let device = try await runtime.read(request.device) { $0 }
    let until = request.until ?? device.now.advanced(by: Self.durationDefault)
    let foresight = try Foresight(of: device, until: until, sizeMax: AdminHandlers.pageSizeMax)
    return ForeseeResponse(
      try await withTaskExecutorPreference(Self.executor) { try await Self.completed(foresight) })
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
      stacks: foresight.stacks,
      names: foresight.device.names(
        in: foresight.decisions.map(\.explanation), and: foresight.stacks.flatMap(\.fronts).compactMap(\.widget)))
  }
}
