internal import CFaultyVFS
import Foundation
import MarqueeModel
import MarqueeScheduler
import MarqueeStore

/// A whole server's life with providers, displays and operators, in a world of its own: real handlers, scheduler,
/// runtime, protocol and store, with time, network and disk simulated.
///
/// Processes die, the power fails, writes fail, connections break and clocks are set, as the seed decides. What must
/// hold is checked after every death and in the end:
/// - What was acknowledged is in the journal, nothing is in it that nobody told, and no report twice.
/// - What was deleted is in no file.
/// - Letting go of history changes nothing else.
/// - A process ends by itself only when its disk does not do what it is asked.
/// - A process that comes after another has the same devices.
/// - Displays show, once it is quiet, what the server has.
/// - The events lead to the stored snapshots and decisions, bit for bit (``Store/verify(_:)``).
///
/// The same seed gives the same story; across processes only with Swift's `SWIFT_DETERMINISTIC_HASHING` set.
public struct Simulation {
  /// What came of it.
  public struct Outcome: Hashable, Sendable {
    /// What must not be; empty when all is well.
    public let findings: [Finding]
    /// Processes that were started.
    public let startCount: Int
    /// Calls that succeeded.
    public let callCount: Int
    /// Acknowledged works that were looked for in the journal.
    public let acknowledgedCount: Int
    /// Decisions that the server took.
    public let decisionCount: Int
  }

  /// How long troubles may come, in minutes.
  private static let minutes = 20...60

  private let world: World
  private let skew = SimulatedClock.Skew()
  private let scene: Scene
  private let server: SimulatedServer
  private let clock: SimulatedClock
  /// Events that the journal had before its beginning was let go.
  private var past: [DeviceID: [Event]] = [:]
  private var displays: [SimulatedDisplay] = []
  private var watches: [Task<Void, Never>] = []

  /// Lives through the world of a seed, on files in a directory of its own below `directory`, which is removed after.
  /// Tells `listener` what happens, each line beginning with the seconds that have passed.
  ///
  /// Throws when the machine itself is at fault. To be called on one thread, for as long as it takes.
  public static func run(
    seed: UInt64, in directory: String, telling listener: @escaping (String) -> Void = { _ in }
  ) throws -> Outcome {
    precondition(faulty_install() == 0, "SQLite takes no file system")
    let path = directory + "/marquee-simulation-\(ProcessInfo.processInfo.processIdentifier)-\(seed)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    var simulation = Simulation(seed: seed, path, listener)
    let outcome = simulation.run()
    try FileManager.default.removeItem(atPath: path)
    return outcome
  }

  private init(seed: UInt64, _ path: String, _ listener: @escaping (String) -> Void) {
    world = World(seed: seed, telling: listener)
    server = SimulatedServer(world, directory: path, skew: skew)
    clock = SimulatedClock(world, skew)
    scene = Scene(world, server, clock)
  }

  private mutating func run() -> Outcome {
    var verification: Verification?
    do {
      try server.start()
      begin()
      let end = world.elapsed + .seconds(60 * world.number(Self.minutes))
      while world.elapsed < end, scene.findings.isEmpty { try trouble() }
      try windDown()
      verification = try settleAccounts()
    } catch let finding as Finding {
      scene.find(finding.description)
    } catch {
      scene.find("\(error)")
    }
    return Outcome(
      findings: scene.findings, startCount: server.startCount, callCount: scene.callCount,
      acknowledgedCount: scene.ledger.acknowledgementCount, decisionCount: verification?.decisionCount ?? 0)
  }

  private mutating func begin() {
    for device in Scene.devices {
      let person = SimulatedDisplay(scene, device)
      for display in [person, SimulatedDisplay(scene, device)] {
        displays.append(display)
        watches.append(world.start { await display.show() })
      }
      world.start { await person.live() }
      for app in Scene.apps {
        let provider = SimulatedProvider(scene, device, app)
        world.start { await provider.live() }
      }
      let admin = SimulatedOperator(scene, device)
      world.start { await admin.live() }
    }
  }

  /// Lets a while pass, then lets something go wrong.
  private mutating func trouble() throws {
    world.run(for: world.milliseconds(0...90_000))
    if server.hasFailed { return try restart(cuttingPower: false) }
    switch world.number(0...10) {
    case 0, 1: try restart(cuttingPower: false)
    case 2: try restart(cuttingPower: true)
    case 3: server.failDisk()
    case 4: server.repairDisk()
    case 5: setClock()
    case 6: try compact()
    default: server.disturbNetwork()
    }
  }

  private func restart(cuttingPower isPowerCut: Bool) throws {
    try server.die(cuttingPower: isPowerCut)
    if world.once(in: 2) { world.run(for: world.milliseconds(0...30_000)) }
    try server.start()
    try checkJournals()
  }

  /// Lets go of history, as far as the disk does what it is asked.
  private mutating func compact() throws {
    guard let store = server.store else { return }
    for device in Scene.devices { past[device] = try events(of: device) }
    let (span, now) = (TimeSpan.seconds(Int64(world.number(0...1_200))), clock.now)
    world.tell("history before \(span.seconds) s ago is let go")
    do {
      let compaction = try SimulatedDisk.wait { try await store.compact(keeping: span, now: now) }.get()
      world.tell("it was, of \(compaction.deviceCount) devices, with \(compaction.rowCount) rows")
    } catch let error as StoreError where [.diskFull, .ioFailed, .commitFailed].contains(error.code) {
      world.tell("it was not: \(error)")
    }
  }

  private func setClock() {
    let seconds = world.once(in: 10) ? world.number(-90_000...90_000) : world.number(-90...90)
    world.tell("the clock is set by \(seconds) s")
    skew.span = TimeSpan(milliseconds: skew.span.milliseconds + Int64(seconds) * 1_000)
  }

  // MARK: What must hold

  private func checkJournals() throws {
    for end in server.unexplainedEnds { scene.find(end.description) }
    for device in Scene.devices {
      for finding in scene.ledger.findings(device, try events(of: device)) { scene.find(finding.description) }
    }
  }

  /// All events of the device, as they were stored at first; none when there is none of that name.
  private func events(of device: DeviceID) throws -> [Event] {
    let past = past[device] ?? []
    guard let store = server.store else { return past }
    return try SimulatedDisk.wait {
      var events = past
      var last = UInt64(past.count)
      while true {
        let page = try await store.events(of: device, after: last)
        guard let end = page.last?.sequence else { return events }
        events += page.map(\.event)
        last = end
      }
    }.get()
  }

  /// Nothing goes wrong any more, and nobody begins anything new: what was begun ends, and displays catch up.
  private func windDown() throws {
    if !server.isUp { try restart(cuttingPower: false) }
    server.repairDisk()
    scene.isWindingDown = true
    // Longer than anybody pauses, and than a half-open connection is believed in.
    world.run(for: .seconds(600))
    if server.hasFailed {
      try restart(cuttingPower: false)
      world.run(for: .seconds(120))
    }
  }

  private func settleAccounts() throws -> Verification {
    try checkJournals()
    try checkDisplays()
    let before = try devices()
    for watch in watches { watch.cancel() }
    try server.die(cuttingPower: false)
    checkDeletions()
    let verification = try Store.verify(server.directory)
    for finding in verification.findings { scene.find("\(finding)") }
    try server.start()
    let after = try devices()
    for device in before {
      var device = device
      guard let other = after.first(where: { $0.id == device.id }), other.now >= device.now else {
        scene.find("\(device.id) is gone after a restart")
        continue
      }
      _ = device.advance(to: other.now)
      if device != other { scene.find("\(device.id) is another one after a restart") }
    }
    try server.die(cuttingPower: false)
    return verification
  }

  /// The devices of the server as they are now.
  private func devices() throws -> [Device] {
    guard let runtime = server.runtime else { throw Finding("the server has ended in peace") }
    let found = Found()
    world.start {
      for id in Scene.devices {
        do {
          found.devices.append(try await runtime.read(id) { $0 })
        } catch let refusal as Refusal where refusal.code == .notFound {
          // Nobody came to register it.
        } catch {
          found.error = error
        }
      }
      found.isComplete = true
    }
    guard world.run(until: { found.isComplete }, for: .seconds(60)) else { throw Finding("a device is never read") }
    if let error = found.error { throw error }
    return found.devices
  }

  /// `@unchecked Sendable`: touched on the world's thread alone.
  private final class Found: @unchecked Sendable {
    var devices: [Device] = []
    var error: (any Error)?
    var isComplete = false
  }

  /// Looks whether displays show what their devices have. A change may be on its way just then, though not for seconds.
  private func checkDisplays() throws {
    var flaws = try displayFlaws()
    for _ in 0..<3 where !flaws.isEmpty {
      world.tell("not shown yet: \(flaws[0])")
      world.run(for: .seconds(2))
      flaws = try displayFlaws()
    }
    for flaw in flaws { scene.find(flaw) }
  }

  private func displayFlaws() throws -> [String] {
    let devices = try devices()
    var flaws: [String] = []
    for display in displays {
      guard let device = devices.first(where: { $0.id == display.device }) else { continue }
      let shown = display.screen
      var expected: [StackID: Stack] = [:]
      for stack in device.allStacks { expected[stack.id] = stack }
      if shown.stacks != expected { flaws.append("\(device.id): the display shows \(shown.stacks), not \(expected)") }
      let members = Set(device.allStacks.flatMap(\.members))
      for widget in members where shown.entries[widget] != device.currentEntry(of: widget) {
        flaws.append("\(device.id): the display shows another entry of \(widget)")
      }
    }
    return flaws
  }

  private func checkDeletions() {
    let files = (try? FileManager.default.subpathsOfDirectory(atPath: server.directory)) ?? []
    for name in files {
      guard let content = FileManager.default.contents(atPath: "\(server.directory)/\(name)") else { continue }
      for word in scene.ledger.deleted.sorted() where content.range(of: Data(word.utf8)) != nil {
        scene.find("\(name) still has \(word), whose deletion was acknowledged")
      }
    }
  }
}
