import MarqueeClient
import MarqueeEvaluation
import MarqueeModel
import MarqueeRPC
import MarqueeTerminal
import MarqueeTransport
import MarqueeWire

/// Replays the last days of several people concurrently on a server whose clock it advances.
struct Backtest: Sendable {
  /// The maximum number of donations per call.
  private static let batchCountMax = 1_024

  /// The kind of a step.
  private enum Activity: Int, Comparable {
    /// A person gets a device and a stack, and earlier actions are donated.
    case begin
    /// A person performs an action.
    case use
    /// A person's replay ends.
    case end

    static func < (left: Activity, right: Activity) -> Bool { left.rawValue < right.rawValue }
  }

  private struct Step {
    let at: Int64
    let activity: Activity
    /// The index of the user.
    let person: Int
    /// The index of the use.
    let use: Int
  }

  let session: Session
  let casts: [BacktestCast]

  /// Replays all people. Returns the scores in the order of the casts.
  func run() async throws -> [ReplayScores] {
    let steps = steps
    let progress = ProgressMeter("Replaying the days of \(casts.count) people")
    defer { progress.end() }
    try await checkClock(steps[0].at)
    var fronts = [[ReplayScores.Front]](repeating: [], count: casts.count)
    try await withThrowingTaskGroup(of: (person: Int, fronts: [ReplayScores.Front]).self) { displays in
      var places = [Int?](repeating: nil, count: casts.count)
      for (index, step) in steps.enumerated() {
        progress.note(.count(index, of: steps.count, "events"))
        try await session.operators.advanceClock(to: try BacktestCast.instant(step.at))
        let cast = casts[step.person]
        switch step.activity {
        case .begin:
          try await setStage(cast)
          let display = BacktestDisplay(cast, at: session.endpoint)
          displays.addTask { (step.person, try await display.fronts()) }
          try await display.awaitBeginning()
          try await donate(cast.plan.history, cast)
        case .use:
          try await play(cast.plan.uses[step.use], cast, &places[step.person])
        case .end:
          try await session.display.edit(cast.stack, on: cast.device, .removeStack)
          // Displays end with their stacks. The order in which two finished displays are collected does not matter.
          guard let over = try await displays.next() else { throw CancellationError() }
          fronts[over.person] = over.fronts
        }
      }
    }
    try await checkRotations(fronts)
    return zip(casts, fronts).map { ReplayScores($0.plan, fronts: $1) }
  }

  /// Reports the user's place if it has changed, and donates the action.
  private func play(_ use: ReplayPlan.Use, _ cast: BacktestCast, _ place: inout Int?) async throws {
    if use.place != place {
      place = use.place
      let newPlace = try use.place.map { (number) throws(RequestError) in try BacktestCast.place(number) }
      try await session.display.report(.contextChanged(.place(newPlace)), on: cast.device)
    }
    try await donate([use], cast)
  }

  /// All steps in chronological order; steps at the same instant are ordered by person.
  private var steps: [Step] {
    casts.enumerated().flatMap { index, cast in
      [Step(at: cast.plan.start, activity: .begin, person: index, use: 0)]
        + cast.plan.uses.indices.map { Step(at: cast.plan.uses[$0].at, activity: .use, person: index, use: $0) }
        + [Step(at: cast.plan.end, activity: .end, person: index, use: 0)]
    }.sorted { ($0.at, $0.person, $0.activity, $0.use) < ($1.at, $1.person, $1.activity, $1.use) }
  }

  /// Throws unless the server's clock is manual and not past the start of the replay.
  private func checkClock(_ start: Int64) async throws {
    let (clock, start) = (try await session.operators.clock(), try BacktestCast.instant(start))
    guard clock.isManual, clock.now <= start else {
      let finding = clock.isManual ? "shows \(clock.now), and the replay begins at \(start)" : "cannot be moved"
      throw CommandFailure(
        .rejected, "the server's clock \(finding)",
        hints: ["Start one with: marqueed --clock manual=\(start) --data-dir EMPTY --listen \(session.endpoint)"])
    }
  }

  /// Creates a device with a stack for a person.
  private func setStage(_ cast: BacktestCast) async throws {
    let (display, device) = (session.display, cast.device)
    let zone = try Arguments.check { () throws(RequestError) in try TimeZoneID("UTC") }
    guard try await display.registerDevice(device, timeZone: zone) else {
      throw CommandFailure(
        .rejected, "the server has a device \(device) already", hints: ["Start one with an empty data directory."])
    }
    for app in cast.apps {
      let kinds = try RegisterKindsRequest(device: device, app: app.id, kinds: app.kinds)
      _ = try await session.connection.unary(
        ProviderService.registerKinds, kinds, options: CallOptions(affinity: device.text))
      try await provider(app.id, cast).registerIntentTypes(app.types)
    }
    try await display.edit(cast.stack, on: device, .create(BacktestCast.family))
    try await display.edit(cast.stack, on: device, .setWidgetSuggestions(false))
    for widget in cast.members { try await display.edit(cast.stack, on: device, .add(widget, at: nil)) }
  }

  /// Donates the uses, each by its app.
  private func donate(_ uses: [ReplayPlan.Use], _ cast: BacktestCast) async throws {
    for app in cast.apps {
      let own = uses.filter { cast.widgets[$0.item].kind.app == app.id }
      for start in stride(from: 0, to: own.count, by: Self.batchCountMax) {
        let batch = try own[start...].prefix(Self.batchCountMax).map(cast.donation)
        try await provider(app.id, cast).donate(batch)
      }
    }
  }

  private func provider(_ app: AppID, _ cast: BacktestCast) throws(RequestError) -> ProviderClient {
    try ProviderClient(session.connection, device: cast.device, app: app, kinds: [])
  }

  /// Throws unless the displays received every rotation that the server decided.
  private func checkRotations(_ fronts: [[ReplayScores.Front]]) async throws {
    var counts: [DeviceID: UInt64] = [:]
    var hasMore = true
    var last: DeviceID?
    while hasMore {
      let page = try await session.operators.devices(after: last)
      for device in page.devices { counts[device.device] = device.decisionCount }
      (last, hasMore) = (page.devices.last?.device, page.hasMore && !page.devices.isEmpty)
    }
    for (cast, fronts) in zip(casts, fronts) where counts[cast.device] != UInt64(fronts.count - 1) {
      let (seen, decided) = (fronts.count - 1, counts[cast.device] ?? 0)
      throw CommandFailure(
        .internalError, "the display of \(cast.device) received \(seen) of \(decided) rotations")
    }
  }
}
