internal import CFaultyVFS
import Logging
import MarqueeJournal
import MarqueeModel
import MarqueeRuntime
import MarqueeServer
import MarqueeStore
import MarqueeTestSupport
import MarqueeTransport
import NIOCore
import NIOEmbedded

/// A machine on which a server's process runs, dies and restarts, with the same directory.
///
/// `@unchecked Sendable`: accessed only on the world's thread.
final class SimulatedServer: @unchecked Sendable {
  /// A process of the server.
  ///
  /// `@unchecked Sendable`: accessed only on the world's thread.
  private final class Life: @unchecked Sendable {
    let disk: SimulatedDisk
    let core: ServerCore
    let rpc: RPCServer
    var links: [SimulatedLink] = []
    var isRunning = true
    var task: Task<Void, Never>?

    init(disk: SimulatedDisk, core: ServerCore, rpc: RPCServer) {
      self.disk = disk
      self.core = core
      self.rpc = rpc
    }
  }

  let directory: String
  private let world: World
  private let skew: SimulatedClock.Skew
  private let logger: Logger
  private var life: Life?
  /// The number of started processes.
  private(set) var startCount = 0
  /// The process exits that were not caused by a failed disk.
  private(set) var unexplainedEnds: [RequirementFailure] = []

  init(_ world: World, directory: String, skew: SimulatedClock.Skew) {
    self.world = world
    self.directory = directory
    self.skew = skew
    logger = Logger(label: "marqueed", factory: { _ in StoryLogHandler(world) })
  }

  /// The runtime of the current process.
  var runtime: Runtime? { life?.isRunning == true ? life?.core.runtime : nil }

  /// The store of the current process, for inspection without simulated time.
  var store: Store? { life?.disk.store }

  var isUp: Bool { life?.isRunning == true }

  // MARK: Starting and killing

  /// Starts a process.
  ///
  /// - Throws: The error of opening the store.
  func start() throws {
    precondition(life == nil, "a process is already running")
    let disk = try SimulatedDisk(world, directory: directory)
    var settings = Runtime.Configuration(shardCount: 2)
    settings.snapshotStride = 16
    // Small, so that devices are loaded and evicted all the time.
    settings.cachedDeviceCountMax = 2
    let core = ServerCore(
      settings, clock: SimulatedClock(world, skew), journal: disk, logger: logger,
      sleep: { [world] in try await world.sleep($0) })
    var configuration = ServerConfiguration()
    configuration.eventLoopGroup = world.loop
    // The size of a header list depends on the date.
    configuration.dateClock = { 1_600_000_000 }
    let life = Life(
      disk: disk, core: core, rpc: RPCServer(router: core.router, configuration: configuration, logger: logger))
    self.life = life
    startCount += 1
    world.log("server started")
    life.task = world.start {
      do {
        try await core.run()
      } catch {
        self.ended(core, error)
      }
    }
  }

  /// Called when the runtime of the process ends with an error.
  private func ended(_ core: ServerCore, _ error: any Error) {
    guard let life, life.core === core else { return }
    world.log("runtime failed: \(error)")
    life.isRunning = false
    guard (error as? JournalError)?.code != .commitFailed else { return }
    unexplainedEnds.append(RequirementFailure("runtime failed without a disk fault: \(error)"))
  }

  /// Kills the process if it is running: pending disk operations are performed or not, and clients are notified or not.
  /// With a power failure, only synchronized data and some other sectors remain.
  func die(cuttingPower isPowerCut: Bool) throws {
    guard let life else { return }
    world.log(isPowerCut ? "power failure" : "server killed")
    // Interrupting a commit requires one in progress.
    if isPowerCut { life.disk.plan(FAULTY_POWER_CUT, after: world.number(0...6), lasts: true) }
    world.run(for: world.milliseconds(0...40))
    life.disk.abandon()
    let isTold = !isPowerCut && !world.once(in: 4)
    for link in life.links { link.serverDied(tellingClient: isTold) }
    life.task?.cancel()
    self.life = nil
    let isOver = Flag()
    world.start {
      await life.task?.value
      isOver.isSet = true
    }
    guard world.run(until: { isOver.isSet }, for: .seconds(60)) else { throw RequirementFailure("runtime did not end") }
    try close(life.disk, afterPowerCut: isPowerCut)
  }

  private func close(_ disk: SimulatedDisk, afterPowerCut isPowerCut: Bool) throws {
    do {
      try disk.store.close()
    } catch {
      // A store on a failing disk cannot always be closed cleanly; the next process recovers.
      world.log("closing the store failed")
    }
    if isPowerCut {
      guard faulty_restart(directory, UInt(world.number(0...Int(UInt32.max)))) == 0 else {
        throw RequirementFailure("applying the power failure to the files failed")
      }
    }
    faulty_reset(directory)
  }

  /// Whether the process must be restarted because its disk failed.
  var hasFailed: Bool { life.map { !$0.isRunning } ?? false }

  /// Injects a disk fault into one of the next operations.
  func failDisk() {
    guard let life else { return }
    let kinds = [
      (FAULTY_WRITE_ERROR, "write error"), (FAULTY_SHORT_WRITE, "short write"), (FAULTY_DISK_FULL, "disk full"),
      (FAULTY_SYNC_ERROR, "sync error"),
    ]
    let (kind, name) = world.sampler.one(of: kinds)
    let lasts = kind == FAULTY_DISK_FULL && world.once(in: 2)
    world.log("disk fault planned: \(name)\(lasts ? ", lasting" : "")")
    life.disk.plan(kind, after: world.number(0...12), lasts: lasts)
  }

  /// Removes all disk faults.
  func repairDisk() { faulty_reset(directory) }

  // MARK: The network

  /// Connects to the current process.
  ///
  /// - Parameters:
  ///   - isKeptAlive: Whether the systems of both sides detect that data is lost.
  ///   - fill: Adds the handlers of the client's channel.
  func connect(keepingAlive isKeptAlive: Bool, _ fill: (any Channel) throws -> Void) throws -> any Channel {
    guard let life, life.isRunning else { throw ChannelError.connectTimeout(.zero) }
    let link = SimulatedLink(world, keepingAlive: isKeptAlive)
    let channel = try link.connect { side, channel in
      switch side {
      case .client: try fill(channel)
      case .server: try life.rpc.accept(channel)
      }
    }
    life.links.append(link)
    return channel
  }

  /// Whether data of a client was lost or delayed on its way to the server.
  func hasKeptData(of client: any Channel) -> Bool {
    life?.links.contains { $0.isOfClient(client) && $0.hasKeptDataFromServer } ?? false
  }

  /// Breaks a connection, or drops the data of one side, or stops a side from reading for a while.
  func disturbNetwork() {
    guard let link = life?.links.randomElement(using: &world.sampler) else { return }
    switch world.number(0...5) {
    case 0: link.lose(to: .client)
    case 1: link.lose(to: .server)
    case 2: link.stall(.client, for: world.milliseconds(0...40_000))
    case 3: link.stall(.server, for: world.milliseconds(0...40_000))
    default: link.cut()
    }
  }
}

/// `@unchecked Sendable`: accessed only on the world's thread.
final class Flag: @unchecked Sendable {
  var isSet = false
}
