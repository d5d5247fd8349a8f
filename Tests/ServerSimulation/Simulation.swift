internal import CFaultyVFS
import Foundation
import MarqueeJournal
import MarqueeModel
import MarqueeScheduler
import MarqueeStore
import MarqueeTestSupport

/// A deterministic simulation of a server with providers, displays and operators: real handlers, scheduler, runtime,
/// protocols and store, with simulated time, network and disk. Each client calls in the native protocol, gRPC or
/// Connect.
///
/// Depending on the seed, processes are killed, power fails, writes fail, connections break and clocks are set. These
/// invariants are checked after every kill and at the end:
/// - Acknowledged operations are in the journal; nothing else is, and no report twice.
/// - Deleted data is in no file.
/// - Compacting history changes nothing else.
/// - A process fails only after a disk fault.
/// - A restarted process has the same devices.
/// - Displays converge to the server's state, and so do the lists of surfaces.
/// - Widget events are possible, and what they tell converges to the server's state.
/// - An app receives an intent once, and every reply to its prompts once and in order; once faults end, it performs
///   intents, and has performed its present Focus filters.
/// - Responses in gRPC and Connect follow HTTP and the protocol's mapping.
/// - Replaying the events yields the stored snapshots and decisions, bit for bit (``Store/verify(_:)``).
///
/// The same seed yields the same run; across processes only with `SWIFT_DETERMINISTIC_HASHING` set.
public struct Simulation {
  /// The result of a simulation.
  public struct Outcome: Hashable, Sendable {
    /// The violated invariants.
    public let findings: [RequirementFailure]
    /// The number of started processes.
    public let startCount: Int
    /// The number of successful calls.
    public let callCount: Int
    /// The number of intents that apps have performed.
    public let intentCount: Int
    /// The number of acknowledged operations verified in the journal.
    public let acknowledgedCount: Int
    /// The number of the server's decisions.
    public let decisionCount: Int
  }

  /// The duration of fault injection, in minutes.
  private static let minutes = 20...60

  private let world: World
  private let skew = SimulatedClock.Skew()
  private let context: SimulationContext
  private let server: SimulatedServer
  private let clock: SimulatedClock
  /// The events in the journal before compaction.
  private var past: [DeviceID: [Event]] = [:]
  private var displays: [SimulatedDisplay] = []
  private var eventReaders: [SimulatedEventReader] = []
  private var queryApps: [SimulatedQueryApp] = []
  /// Whether the clock has been set back since the process was started.
  private var hasClockBeenSetBack = false
  private var watches: [Task<Void, Never>] = []

  /// Runs the simulation of a seed in a new directory below `directory`, which is removed afterwards. Events are passed
  /// to `listener`, each line prefixed with the elapsed seconds.
  ///
  /// Call it on one thread; it blocks until the simulation ends.
  ///
  /// - Throws: An error of the machine itself.
  public static func run(
    seed: UInt64, in directory: String, telling listener: @escaping (String) -> Void = { _ in }
  ) throws -> Outcome {
    precondition(faulty_install() == 0, "the SQLite VFS cannot be installed")
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
    context = SimulationContext(world, server, clock)
  }

  private mutating func run() -> Outcome {
    var verification: Verification?
    do {
      try server.start()
      begin()
      let end = world.elapsed + .seconds(60 * world.number(Self.minutes))
      while world.elapsed < end, context.findings.isEmpty { try trouble() }
      try windDown()
      verification = try settleAccounts()
    } catch let finding as RequirementFailure {
      context.find(finding.description)
    } catch {
      context.find("\(error)")
    }
    return Outcome(
      findings: context.findings, startCount: server.startCount, callCount: context.callCount,
      intentCount: context.intentCount, acknowledgedCount: context.ledger.acknowledgementCount,
      decisionCount: verification?.decisionCount ?? 0)
  }

  private mutating func begin() {
    for device in SimulationContext.devices {
      let person = SimulatedDisplay(context, device)
      let wall = SimulatedDisplay(context, device)
      wall.screenState = .shared
      for display in [person, wall] {
        displays.append(display)
        watches.append(world.start { await display.show() })
        for surface in SimulationContext.surfaces {
          watches.append(world.start { await display.follow(surface) })
        }
      }
      world.start { await person.live() }
      for app in SimulationContext.apps {
        let provider = SimulatedProvider(context, device, app)
        world.start { await provider.live() }
        let reader = SimulatedEventReader(context, device, app)
        eventReaders.append(reader)
        watches.append(world.start { await reader.follow() })
        let queryApp = SimulatedQueryApp(context, device, app)
        queryApps.append(queryApp)
        watches.append(world.start { await queryApp.serve() })
      }
      let admin = SimulatedOperator(context, device)
      world.start { await admin.live() }
    }
  }

  /// Waits for a while, then injects a fault.
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

  private mutating func restart(cuttingPower isPowerCut: Bool) throws {
    try server.die(cuttingPower: isPowerCut)
    hasClockBeenSetBack = false
    if world.once(in: 2) { world.run(for: world.milliseconds(0...30_000)) }
    try server.start()
    try checkJournals()
  }

  /// Compacts history, unless the disk fails.
  private mutating func compact() throws {
    guard let store = server.store else { return }
    for device in SimulationContext.devices { past[device] = try events(of: device) }
    let (span, now) = (TimeSpan.seconds(Int64(world.number(0...1_200))), clock.now)
    world.log("compacting history older than \(span.seconds) s")
    do {
      let compaction = try SimulatedDisk.wait { try await store.compact(keeping: span, now: now) }.get()
      world.log("compacted \(compaction.deviceCount) devices, \(compaction.rowCount) rows")
    } catch let error as JournalError where [.diskFull, .ioFailed, .commitFailed].contains(error.code) {
      world.log("compaction failed: \(error)")
    }
  }

  private mutating func setClock() {
    let seconds = world.once(in: 10) ? world.number(-90_000...90_000) : world.number(-90...90)
    world.log("the clock is set by \(seconds) s")
    if seconds < 0 { hasClockBeenSetBack = true }
    skew.span = TimeSpan(milliseconds: skew.span.milliseconds + Int64(seconds) * 1_000)
  }

  // MARK: Invariants

  private func checkJournals() throws {
    for end in server.unexplainedEnds { context.find(end.description) }
    for device in SimulationContext.devices {
      for finding in context.ledger.findings(device, try events(of: device)) { context.find(finding.description) }
    }
  }

  /// Returns all events of the device, including compacted ones; empty for an unknown device.
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

  /// Stops fault injection and new operations: operations in progress complete, and displays catch up.
  private mutating func windDown() throws {
    if !server.isUp { try restart(cuttingPower: false) }
    server.repairDisk()
    context.isWindingDown = true
    // Longer than any pause and the detection of a half-open connection.
    world.run(for: .seconds(600))
    if server.hasFailed {
      try restart(cuttingPower: false)
      world.run(for: .seconds(120))
    }
  }

  private mutating func settleAccounts() throws -> Verification {
    try checkJournals()
    try checkDisplays()
    try checkEventReaders()
    try checkQueryApps()
    let before = try devices()
    for watch in watches { watch.cancel() }
    try server.die(cuttingPower: false)
    checkDeletions()
    let verification = try Store.verify(server.directory)
    for finding in verification.findings { context.find("\(finding)") }
    try server.start()
    let after = try devices()
    for device in before {
      var device = device
      guard let other = after.first(where: { $0.id == device.id }), other.now >= device.now else {
        context.find("\(device.id) is missing after a restart")
        continue
      }
      _ = device.advance(to: other.now)
      if device != other { context.find("\(device.id) differs after a restart") }
    }
    try server.die(cuttingPower: false)
    return verification
  }

  /// Returns the current devices of the server.
  private func devices() throws -> [Device] {
    guard let runtime = server.runtime else { throw RequirementFailure("the server is not running") }
    let found = Found()
    world.start {
      for id in SimulationContext.devices {
        do {
          found.devices.append(try await runtime.read(id) { $0 })
        } catch let rejection as RequestError where rejection.code == .notFound {
          // The device was never registered.
        } catch {
          found.error = error
        }
      }
      found.isComplete = true
    }
    guard world.run(until: { found.isComplete }, for: .seconds(60)) else {
      throw RequirementFailure("reading a device did not complete")
    }
    if let error = found.error { throw error }
    return found.devices
  }

  /// `@unchecked Sendable`: accessed only on the world's thread.
  private final class Found: @unchecked Sendable {
    var devices: [Device] = []
    var error: (any Error)?
    var isComplete = false
  }

  /// Checks whether displays show their devices' state. A change may be in flight, but not for seconds.
  private func checkDisplays() throws {
    var flaws = try displayFlaws()
    for _ in 0..<3 where !flaws.isEmpty {
      world.log("not converged yet: \(flaws[0])")
      world.run(for: .seconds(2))
      flaws = try displayFlaws()
    }
    for flaw in flaws { context.find(flaw) }
  }

  /// Checks whether readers of events know where the widgets of their devices are. A report may wait for a minute, or
  /// while the clock of the process has been set back.
  private func checkEventReaders() throws {
    guard !hasClockBeenSetBack else { return }
    var flaws = try eventFlaws()
    for _ in 0..<5 where !flaws.isEmpty {
      world.run(for: .seconds(65))
      flaws = try eventFlaws()
    }
    for flaw in flaws { context.find(flaw) }
  }

  /// Checks whether apps perform intents, and have performed their Focus filters.
  private func checkQueryApps() throws {
    let devices = try devices()
    for app in queryApps {
      guard let device = devices.first(where: { $0.id == app.device }) else { continue }
      if let flaw = app.flaw(device.initialFocusFilterStates(of: app.app)) { context.find(flaw) }
      guard let display = displays.first(where: { $0.device == device.id }) else { continue }
      let flag = Flag()
      world.start {
        for _ in 0..<3 where !flag.isSet { flag.isSet = await display.perform(by: app.app) }
      }
      guard !world.run(until: { flag.isSet }, for: .seconds(120)) else { continue }
      context.find("\(app.app) on \(device.id) performs no intent (attached: \(app.isAttached))")
    }
  }

  private func eventFlaws() throws -> [String] {
    let devices = try devices()
    return eventReaders.compactMap { reader in
      devices.first { $0.id == reader.device }.flatMap { reader.flaw($0) }
    }
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
      let homeWidgets = Set(device.homeWidgets)
      if shown.homeWidgets != homeWidgets {
        flaws.append("\(device.id): the display shows \(shown.homeWidgets) outside stacks, not \(homeWidgets)")
      }
      for widget in homeWidgets.union(device.allStacks.flatMap(\.instances))
      where shown.shown[widget]
        != device.shownEntry(of: widget.widget, in: widget.family)?.on(display.screenState)
      {
        flaws.append("\(device.id): the \(display.screenState) display shows a different entry of \(widget)")
      }
      for widget in homeWidgets.union(device.allStacks.flatMap(\.instances)).map(\.widget)
      where shown.labels[widget] != device.label(of: widget) {
        flaws.append("\(device.id): the display has the label \(shown.labels[widget] as Any) of \(widget)")
      }
      flaws += SimulationContext.surfaces.compactMap { listFlaw($0, display, device) }
    }
    return flaws
  }

  /// Returns how a display's list of a surface differs from that of the device, if it does.
  private func listFlaw(_ surface: SuggestionSurface, _ display: SimulatedDisplay, _ device: Device) -> String? {
    guard let list = display.lists[surface] else { return "\(device.id): the display has no list of \(surface)" }
    let shown = list.suggestions.map { ComparedSuggestion($0.subject, $0.confidence, $0.until) }
    let expected = device.suggestions(on: surface, count: .max).map {
      ComparedSuggestion($0.subject, $0.confidence, $0.until)
    }
    guard shown == expected else { return "\(device.id): the list of \(surface) is \(shown), not \(expected)" }
    let next = (list.nextChange ?? .max, device.nextSurfaceChange(on: surface) ?? .max)
    return next.0 > device.now && next.0 <= next.1 ? nil : "\(device.id): \(surface) changes at \(next)"
  }

  /// The parts of a suggestion that displays compare, with the confidence in whole percent.
  private struct ComparedSuggestion: Hashable {
    let subject: SurfaceSuggestion.Subject
    let percent: Double
    let until: Instant?

    init(_ subject: SurfaceSuggestion.Subject, _ confidence: Double, _ until: Instant?) {
      self.subject = subject
      percent = (confidence * 100).rounded()
      self.until = until
    }
  }

  private func checkDeletions() {
    let files = (try? FileManager.default.subpathsOfDirectory(atPath: server.directory)) ?? []
    for name in files {
      guard let content = FileManager.default.contents(atPath: "\(server.directory)/\(name)") else { continue }
      for word in context.ledger.deleted.sorted() where content.range(of: Data(word.utf8)) != nil {
        context.find("\(name) still contains \(word), whose deletion was acknowledged")
      }
    }
  }
}
