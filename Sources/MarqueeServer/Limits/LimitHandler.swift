import MarqueeModel
import MarqueeRuntime
import MarqueeScheduler
import MarqueeTransport
import MarqueeWire

/// Tells the limits in force, and how much of them is used.
struct LimitHandler: Sendable {
  private let configuration: MarqueeConfiguration
  private let runtime: Runtime
  private let access: Access
  private let backups: BackupHandler
  private let front: @Sendable () -> RPCServer?

  /// - Parameter front: Gives the server of the sockets, while it is there.
  init(
    _ configuration: MarqueeConfiguration, _ runtime: Runtime, _ access: Access, _ backups: BackupHandler,
    front: @escaping @Sendable () -> RPCServer?
  ) {
    self.configuration = configuration
    self.runtime = runtime
    self.access = access
    self.backups = backups
    self.front = front
  }

  func add(to router: inout ServiceRouter) {
    router.unary(AdminService.getLimits, for: .viewer) { request in
      guard let device = request.device else { return GetLimitsResponse(limits: readings(of: try await uses())) }
      let uses = try await runtime.read(device) { $0 }.limitUses
      return GetLimitsResponse(limits: readings(of: uses).filter { $0.use != nil })
    }
  }

  /// How much the server uses, and the devices in memory that use most.
  private func uses() async throws -> [LimitUse] {
    var uses = try await runtime.limitUses() + [LimitUse("backup-count-max", backups.count)]
    if let front = front() {
      let (open, ofOneAddress) = front.connectionCounts
      uses.append(LimitUse("connection-count-max", open))
      uses.append(LimitUse("address-connection-count-max", ofOneAddress))
      uses.append(LimitUse("stream-count-max", await front.fullestStreamCount()))
    }
    return uses
  }

  private func readings(of uses: [LimitUse]) -> [LimitReading] {
    let policy = access.policy
    return LimitEntry.all.map { entry in
      entry.reading(configuration, policy, uses.first { $0.limit == entry.name })
    }
  }
}
