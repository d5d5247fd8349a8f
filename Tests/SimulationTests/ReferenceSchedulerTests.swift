import MarqueeModel
import MarqueeScheduler
import Testing

/// Compares `Device` with ``ReferenceScheduler``, second by second.
///
/// More seeds: `SIMULATION_SEEDS=200 swift test --filter SimulationTests`.
@Suite struct ReferenceSchedulerTests {
  @Test(
    "R3 R4 R12 R13 R14 R15 R16 R17 W1 W4 W6 A device that runs only when due decides like one that runs every second",
    .timeLimit(.minutes(10)), arguments: Seeds.all(16))
  func shortDay(seed: UInt64) {
    compare(RandomDay(seed: seed, seconds: 10_000, gap: 60))
  }

  @Test(
    "R4 R12 Days of mostly pins, or of publications and scrolls, are decided alike",
    .timeLimit(.minutes(10)), arguments: [RandomDay.Emphasis.pins, .publications], Seeds.all(8))
  func emphasis(_ emphasis: RandomDay.Emphasis, seed: UInt64) {
    compare(RandomDay(seed: 2_000 + seed, seconds: 10_000, gap: emphasis == .pins ? 240 : 60, emphasis: emphasis))
  }

  @Test(
    "R4 R6 R16 Days of habits whose likelihoods cross several times are decided alike",
    .timeLimit(.minutes(10)), arguments: Seeds.all(24))
  func habits(seed: UInt64) {
    compare(RandomDay(seed: 3_000 + seed, seconds: 10_000, gap: 600, emphasis: .habits))
  }

  @Test(
    "T9 The windows of 24 hours match a count by seconds",
    .timeLimit(.minutes(10)), arguments: Seeds.all(2).prefix(20))
  func longDay(seed: UInt64) {
    compare(RandomDay(seed: 1_000 + seed, seconds: 95_000, gap: 600))
  }

  private func compare(_ day: RandomDay) {
    var (device, judge) = (day.device, ReferenceScheduler(policy: day.policy))
    var events = day.occurrences[...]
    var stacks = device.allStacks.map(Self.reading)
    var learned = Self.learned(device)
    for second in 0..<day.seconds {
      let count = events.prefix { $0.second == second }.count
      let present = events.prefix(count).map(\.event)
      events.removeFirst(count)
      let told = Self.learned(device, second, present, before: learned)
      learned = told[told.count - 1]
      judge.live(second, present, learned: told)
      var actions: [Action] = []
      if !present.isEmpty || device.nextWake.map({ $0 <= RandomDay.instant(second) }) ?? false {
        actions = device.advance(to: RandomDay.instant(second))
        for event in present { actions += device.handle(event, at: RandomDay.instant(second)) }
        stacks = device.allStacks.map(Self.reading)
      }
      if second.isMultiple(of: 97) {
        compareReadings(&device, judge)
        Self.compareStatistics(device, judge)
      }
      let found = actions.compactMap(Self.happening)
      guard found.sorted() == judge.happenings.sorted(), stacks == judge.stacks.map(Self.reading) else {
        Issue.record(
          """
          seed \(day.seed), second \(second), after \(present)
          device: \(found) \(stacks)
          judge: \(judge.happenings) \(judge.stacks.map(Self.reading))
          """)
        return
      }
    }
  }

  /// Compares scores and their references (T3, T6), and the number of reloads with their budget (T9).
  private func compareReadings(_ device: inout Device, _ judge: ReferenceScheduler) {
    _ = device.advance(to: RandomDay.instant(judge.now))
    for index in judge.instances {
      let widget = RandomDay.widgets[judge.widget(index)]
      let reading = device.memberStatus(of: widget, in: judge.family(index))
      #expect((reading != nil) == judge.exists[index], "second \(judge.now), instance \(index)")
      guard let reading else { continue }
      let effective = reading.relevance?.effectiveScore ?? 0
      #expect(max(0, effective) == max(0, judge.effectiveScore(index)), "second \(judge.now), instance \(index)")
      if let relevance = reading.relevance {
        let reference = judge.reference(judge.kinds[judge.widget(index)])
        #expect(relevance.reference == reference, "second \(judge.now), instance \(index)")
      }
      #expect(reading.reload.budget == judge.budget(index), "second \(judge.now), instance \(index)")
    }
  }

  /// Compares the statistics of instances and apps (R17).
  private static func compareStatistics(_ device: Device, _ judge: ReferenceScheduler) {
    let all = device.statistics
    for app in RandomDay.apps {
      let found = device.statistics(of: app)
      #expect(found.total == judge.statistics(of: app), "second \(judge.now), app \(app)")
      #expect(all.first { $0.app == app } == (found.instances.isEmpty ? nil : found))
      for index in judge.instances where RandomDay.widgets[judge.widget(index)].kind.app == app {
        let widget = RandomDay.widgets[judge.widget(index)]
        let own = found.instances.first { $0.widget == widget && $0.family == judge.family(index) }
        #expect(own?.statistics == judge.statistics(of: index), "second \(judge.now), instance \(index)")
      }
    }
  }

  private static func learned(_ device: Device) -> ReferenceScheduler.Learned {
    .init(likely: device.likelyActions(count: .max), usesPerDay: device.usesPerDay)
  }

  /// The learned state before the events of a second and after each. Without events, likely actions change only at
  /// multiples of five minutes, which are those of UTC in all time zones of these days.
  private static func learned(
    _ device: Device, _ second: Int, _ events: [Event], before: ReferenceScheduler.Learned
  ) -> [ReferenceScheduler.Learned] {
    let instant = RandomDay.instant(second)
    guard !events.isEmpty || instant.milliseconds.isMultiple(of: 300_000) else { return [before] }
    var copy = device
    _ = copy.advance(to: instant)
    return [learned(copy)]
      + events.map { event in
        _ = copy.handle(event, at: instant)
        return learned(copy)
      }
  }

  private static func happening(_ action: Action) -> String? {
    switch action.order {
    case .rotate(let decision, _): "\(decision.stack) \(verb(decision.kind)) \(index(decision.to))"
    case .suggest(let decision, _): "\(decision.stack) suggests \(index(decision.to))"
    case .withdraw(let stack, let widget, let reason): "\(stack.id) withdraws \(index(widget)): \(reason)"
    case .requestReload(let request): "\(index(request.widget)) \(request.family) is to be reloaded: \(request.reason)"
    default: nil
    }
  }

  private static func verb(_ kind: Decision.Kind) -> String {
    switch kind {
    case .rotation: "rotates to"
    case .suggestion: "suggests"
    case .pin: "pins"
    case .rest: "rests at"
    }
  }

  private struct Reading: Equatable {
    let id: StackID
    let members: [Int]
    let front: Int?
  }

  private static func reading(_ stack: MarqueeModel.Stack) -> Reading {
    Reading(id: stack.id, members: stack.members.map(index), front: stack.frontWidget.map(index))
  }

  private static func reading(_ stack: ReferenceScheduler.Stack) -> Reading {
    let count = ReferenceScheduler.families.count
    return Reading(id: stack.id, members: stack.shown.map { $0 / count }, front: stack.shownFront.map { $0 / count })
  }

  private static func index(_ widget: Widget) -> Int { RandomDay.widgets.firstIndex(of: widget)! }
}
