internal import CFaultyVFS
import Logging
import MarqueeModel
import MarqueeRuntime
import MarqueeServer
import MarqueeStore
import MarqueeTransport
import NIOCore
import NIOEmbedded

/// A machine on which a server's process runs, dies and is started again, on the same directory.
///
/// `@unchecked Sendable`: touched on the world's thread alone.
final class SimulatedServer: Dialer, @unchecked Sendable {
  /// One process of the server.
  ///
  /// `@unchecked Sendable`: touched on the world's thread alone.
  private final class Life: @unchecked Sendable {
    let disk: SimulatedDisk
    let core: ServerCore
    let rpc: RPCServer
    var links: [Link] = []
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
  /// Processes that were started.
  private(set) var startCount = 0
  /// Ends of processes that no failed disk explains.
  private(set) var unexplainedEnds: [Finding] = []

  init(_ world: World, directory: String, skew: SimulatedClock.Skew) {
    self.world = world
    self.directory = directory
    self.skew = skew
    logger = Logger(label: "marqueed", factory: { _ in StoryLogHandler(world) })
  }

  /// The devices of the process that runs.
  var runtime: Runtime? { life?.isRunning == true ? life?.core.runtime : nil }

  /// The store of the process that runs, for whoever looks without taking time.
  var store: Store? { life?.disk.store }

  var isUp: Bool { life?.isRunning == true }

  // MARK: Life and death

  /// Starts a process. Throws what keeps the store from being opened.
  func start() throws {
    precondition(life == nil, "a process runs already")
    let disk = try SimulatedDisk(world, directory: directory)
    var settings = Runtime.Configuration(shardCount: 2)
    settings.snapshotStride = 16
    // So few that devices come and go all the time.
    settings.loadedDeviceCountMax = 2
    let core = ServerCore(settings, clock: SimulatedClock(world, skew), journal: disk, logger: logger)
    var configuration = ServerConfiguration()
    configuration.eventLoopGroup = world.loop
    let life = Life(
      disk: disk, core: core, rpc: RPCServer(router: core.router, configuration: configuration, logger: logger))
    self.life = life
    startCount += 1
    world.tell("the server starts")
    life.task = world.start {
      do {
        try await core.runtime.run()
      } catch {
        self.ended(core, error)
      }
    }
  }

  /// The runtime of the process has given up.
  private func ended(_ core: ServerCore, _ error: any Error) {
    guard let life, life.core === core else { return }
    world.tell("the runtime ends: \(error)")
    life.isRunning = false
    guard (error as? StoreError)?.code != .commitFailed else { return }
    unexplainedEnds.append(Finding("the runtime ends, and not for the disk's sake: \(error)"))
  }

  /// Kills the process if it runs: what it had asked of the disk is done or not, and its clients are told or not.
  /// With the power cut, the disk has only what was synchronised, and some sectors of the rest.
  func die(cuttingPower isPowerCut: Bool) throws {
    guard let life else { return }
    world.tell(isPowerCut ? "the power fails" : "the server dies")
    // A commit that is to be cut in the middle needs one to be under way.
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
    guard world.run(until: { isOver.isSet }, for: .seconds(60)) else { throw Finding("the runtime does not end") }
    try close(life.disk, afterPowerCut: isPowerCut)
  }

  private func close(_ disk: SimulatedDisk, afterPowerCut isPowerCut: Bool) throws {
    do {
      try disk.store.close()
    } catch {
      // A store on a disk that fails cannot always be closed cleanly; the next process finds out what there is.
      world.tell("the store does not close")
    }
    if isPowerCut {
      guard faulty_restart(directory, UInt(world.number(0...Int(UInt32.max)))) == 0 else {
        throw Finding("the files cannot be changed")
      }
    }
    faulty_forget(directory)
  }

  /// Whether the process has to be started again, since its disk failed.
  var hasFailed: Bool { life.map { !$0.isRunning } ?? false }

  /// Lets the disk fail at some change soon.
  func failDisk() {
    guard let life else { return }
    let kinds = [
      (FAULTY_WRITE_ERROR, "a write fails"), (FAULTY_SHORT_WRITE, "a write is short"), (FAULTY_DISK_FULL, "no space"),
      (FAULTY_SYNC_ERROR, "a flush fails"),
    ]
    let (kind, name) = world.sampler.one(of: kinds)
    let lasts = kind == FAULTY_DISK_FULL && world.once(in: 2)
    world.tell("soon on the disk: \(name)\(lasts ? ", for a while" : "")")
    life.disk.plan(kind, after: world.number(0...12), lasts: lasts)
  }

  /// The disk does not fail any more.
  func repairDisk() { faulty_forget(directory) }

  // MARK: The network

  func dial(_ handler: any ChannelHandler & Sendable, on loop: any EventLoop) -> EventLoopFuture<any Channel> {
    let promise = loop.makePromise(of: (any Channel).self)
    world.after(world.milliseconds(0...30)) {
      promise.completeWith(Result { try self.connect(handler) })
    }
    return promise.futureResult
  }

  private func connect(_ handler: any ChannelHandler & Sendable) throws -> any Channel {
    guard let life, life.isRunning else { throw ChannelError.connectTimeout(.zero) }
    let link = Link(world)
    let channel = try link.connect { side, channel in
      switch side {
      case .client: try channel.pipeline.syncOperations.addHandler(handler)
      case .server: try life.rpc.accept(channel)
      }
    }
    life.links.append(link)
    return channel
  }

  /// Breaks a connection, or has one side's words get lost.
  func disturbNetwork() {
    guard let link = life?.links.randomElement(using: &world.sampler) else { return }
    switch world.number(0...3) {
    case 0: link.lose(to: .client)
    case 1: link.lose(to: .server)
    default: link.cut()
    }
  }
}

/// `@unchecked Sendable`: touched on the world's thread alone.
final class Flag: @unchecked Sendable {
  var isSet = false
}
