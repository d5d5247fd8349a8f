import MarqueeModel
import MarqueeRuntime
import MarqueeScheduler
import MarqueeTransport
import MarqueeWire

/// The handler of `GetLimits`, which reports the limits in force and their current use.
struct LimitHandler: Sendable {
  private let configuration: MarqueeConfiguration
  private let runtime: Runtime
  private let access: AccessController
  private let backups: BackupHandler
  private let timelines: TimelineBudgets
  private let quotas: CallQuotas
  private let rpc: @Sendable () -> RPCServer?

  /// - Parameter rpc: Returns the RPC server while it is running.
  init(
    _ configuration: MarqueeConfiguration, _ runtime: Runtime, _ access: AccessController, _ backups: BackupHandler,
    _ timelines: TimelineBudgets, _ quotas: CallQuotas, rpc: @escaping @Sendable () -> RPCServer?
  ) {
    self.configuration = configuration
    self.runtime = runtime
    self.access = access
    self.backups = backups
    self.timelines = timelines
    self.quotas = quotas
    self.rpc = rpc
  }

  func add(to router: inout ServiceRouter) {
    router.unary(AdminService.getLimits, for: .device) { request in
      guard let device = request.device else { return GetLimitsResponse(limits: statuses(of: try await uses())) }
      let uses = try await runtime.read(device) { $0 }.limitUses
      return GetLimitsResponse(limits: statuses(of: uses).filter { $0.use != nil })
    }
  }

  /// Returns the use of server-wide limits, and the highest use of per-device limits among the loaded devices.
  private func uses() async throws -> [LimitUse] {
    var uses = try await runtime.limitUses()
    uses.append(LimitUse("backup-count-max", backups.count))
    uses += quotas.all.map { LimitUse($0.name, $0.count) }
    uses.append(LimitUse("session-count-max", access.sessions.all.count))
    uses.append(LimitUse("past-read-count-max", runtime.pastReads))
    uses += [
      LimitUse("connection-timeline-size-max", timelines.fullestConnectionSize),
      LimitUse("principal-timeline-size-max", timelines.fullestPrincipalSize),
      LimitUse("server-timeline-size-max", timelines.size),
    ]
    if let rpc = rpc() {
      uses.append(LimitUse("peer-assembly-size-max", rpc.assemblySizes.ofOnePeer))
      uses.append(LimitUse("server-assembly-size-max", rpc.assemblySizes.all))
      uses.append(LimitUse("peer-backlog-size-max", rpc.backlogSizes.ofOnePeer))
      uses.append(LimitUse("server-backlog-size-max", rpc.backlogSizes.all))
      let (open, ofOneAddress) = rpc.connectionCounts
      uses.append(LimitUse("connection-count-max", open))
      uses.append(LimitUse("address-connection-count-max", ofOneAddress))
      uses.append(LimitUse("stream-count-max", await rpc.fullestStreamCount()))
    }
    return uses
  }

  private func statuses(of uses: [LimitUse]) -> [LimitStatus] {
    let policy = access.policy
    return LimitEntry.all.map { entry in
      entry.status(configuration, policy, uses.first { $0.limit == entry.name })
    }
  }
}

extension MethodAuthorization<GetLimitsRequest> {
  /// Requires the viewer or operator role. A node of a cluster that does not have the device does not know its use.
  fileprivate static var device: MethodAuthorization {
    MethodAuthorization(.viewer) { CallScope(device: $0.device) }
  }
}
