import MarqueeModel
import MarqueeScheduler
import MarqueeTestSupport
import Testing

/// Properties of all days: two executions of a day are compared, or a day with a modified copy.
@Suite struct PropertyTests {
  @Test("T6 Scaling every score of a kind by one factor changes no decision", arguments: Seeds.all(8))
  func scaling(seed: UInt64) throws {
    let day = Self.day(seed)
    var random = Sampler(seed: seed)
    let (kind, factor) = (random.one(of: RandomDay.widgets).kind, random.one(of: [0.001, 0.37, 2, 3, 7.77, 1e6]))
    let scaled = try day.occurrences.map { occurrence in
      guard case .timelinePublished(let widget, let timeline) = occurrence.event, widget.kind == kind else {
        return occurrence
      }
      let event = Event.timelinePublished(widget, try Self.scale(timeline, by: factor))
      return RandomDay.Occurrence(second: occurrence.second, event: event)
    }
    var (plain, other) = (day.device, day.device)
    let expected = Self.run(&plain, day.occurrences).compactMap(Self.decision)
    #expect(Self.run(&other, scaled).compactMap(Self.decision) == expected)
    #expect(other.allStacks == plain.allStacks)
    #expect(!expected.isEmpty)
  }

  @Test(
    "R9 Ticking every second gives the same actions and the same device as running only when due",
    arguments: Seeds.all(8))
  func ticks(seed: UInt64) {
    let day = Self.day(seed)
    var (lazy, ticking) = (day.device, day.device)
    var tick = 0
    for occurrence in day.occurrences {
      let instant = RandomDay.instant(occurrence.second)
      var actions: [Action] = []
      while tick < occurrence.second {
        actions += ticking.advance(to: RandomDay.instant(tick))
        tick += 1
      }
      actions += ticking.handle(occurrence.event, at: instant)
      guard lazy.handle(occurrence.event, at: instant) == actions, lazy == ticking else {
        Issue.record("seed \(seed), second \(occurrence.second)")
        return
      }
    }
  }

  @Test("R8 R17 Additional ticks at arbitrary instants change nothing", arguments: Seeds.all(8))
  func batches(seed: UInt64) {
    let day = Self.day(seed)
    var random = Sampler(seed: seed)
    var (plain, other) = (day.device, day.device)
    let expected = Self.run(&plain, day.occurrences)
    var (actions, hasCounted): ([Action], Bool) = ([], false)
    for occurrence in day.occurrences {
      let end = RandomDay.instant(occurrence.second)
      while random.once(in: 2) {
        let span = Int64(random.number(in: 0...Int(other.now.span(to: end).milliseconds)))
        actions += other.advance(to: other.now.advanced(by: TimeSpan(milliseconds: span)))
      }
      actions += other.handle(occurrence.event, at: end)
      hasCounted = hasCounted || other.hasCounts
    }
    #expect(actions == expected)
    #expect(other == plain)
    #expect(other.encoded == plain.encoded)
    #expect(hasCounted)
    for app in RandomDay.apps { #expect(other.statistics(of: app) == plain.statistics(of: app)) }
  }

  /// Any publication, even of an equal timeline, completes an open or pending reload request; nothing else changes but
  /// the date of the publication, and without a request the next one does not change the device in one bit.
  @Test("R4 Publishing an equal timeline again changes nothing but an open reload request", arguments: Seeds.all(8))
  func republishing(seed: UInt64) {
    let day = Self.day(seed)
    var random = Sampler(seed: seed)
    var (plain, other) = (day.device, day.device)
    var sameCount = 0
    for occurrence in day.occurrences {
      let instant = RandomDay.instant(occurrence.second)
      let expected = plain.handle(occurrence.event, at: instant).compactMap(Self.decision)
      #expect(other.handle(occurrence.event, at: instant).compactMap(Self.decision) == expected)
      let widget = random.one(of: RandomDay.widgets)
      guard let timeline = other.timeline(of: widget), Self.isForAll(timeline, widget, other) else { continue }
      let instances = other.knownInstances.filter { $0.widget == widget }
      let isAnswering = instances.contains { instance in
        guard let reading = other.memberStatus(of: widget, in: instance.family) else { return false }
        switch reading.reload.phase {
        case .none, .scheduled: return false
        case .waiting, .requested: return true
        }
      }
      let actions = other.handle(.timelinePublished(widget, timeline), at: instant)
      #expect(actions.allSatisfy { if case .requestReload = $0.order { true } else { false } })
      guard !isAnswering else { continue }
      sameCount += 1
      let before = other
      let again = other.handle(.timelinePublished(widget, timeline), at: instant)
      #expect(actions.isEmpty && again.isEmpty && other == before)
    }
    #expect(sameCount > 0)
  }

  @Test(
    "R8 R17 A device decoded from its bytes at any moment continues identically",
    arguments: Seeds.all(8))
  func snapshots(seed: UInt64) throws {
    let day = Self.day(seed)
    var random = Sampler(seed: seed)
    var (plain, other) = (day.device, day.device)
    for occurrence in day.occurrences {
      let instant = RandomDay.instant(occurrence.second)
      var actions: [Action] = []
      if random.once(in: 3) {
        let span = Int64(random.number(in: 0...Int(other.now.span(to: instant).milliseconds)))
        actions = other.advance(to: other.now.advanced(by: TimeSpan(milliseconds: span)))
        other = try Device(decoding: other.encoded)
      }
      actions += other.handle(occurrence.event, at: instant)
      #expect(plain.handle(occurrence.event, at: instant) == actions)
      guard other == plain else {
        Issue.record("seed \(seed), second \(occurrence.second)")
        return
      }
    }
  }

  @Test(
    "U3 W3 A display that connects at any moment and applies the actions shows the device's state",
    arguments: Seeds.all(8))
  func display(seed: UInt64) {
    let day = Self.day(seed)
    var random = Sampler(seed: seed)
    var device = day.device
    var display = DisplayMirror(of: device)
    for occurrence in day.occurrences {
      for action in device.handle(occurrence.event, at: RandomDay.instant(occurrence.second)) { display.follow(action) }
      guard display == DisplayMirror(of: device) else {
        Issue.record("seed \(seed), second \(occurrence.second), after \(occurrence.event)")
        return
      }
      if random.once(in: 20) { display = DisplayMirror(of: device) }
    }
  }

  @Test(
    "R10 A decision's widget is the best that passes every gate, and without a decision some gate is closed",
    arguments: Seeds.all(8))
  func explanations(seed: UInt64) {
    let day = Self.day(seed)
    var device = day.device
    for occurrence in day.occurrences {
      for action in device.handle(occurrence.event, at: RandomDay.instant(occurrence.second)) {
        guard let decision = action.decision else { continue }
        let open = decision.explanation.candidates.filter { !$0.isInFront && $0.obstacle == nil }
        #expect(open.first?.widget == decision.to && decision.explanation.chosen == decision.to)
      }
      for stack in device.allStacks {
        let candidates = device.explanation(of: stack.id)?.candidates ?? []
        #expect(candidates.count == stack.members.count)
        #expect(candidates.allSatisfy { $0.isInFront || $0.obstacle != nil })
        let suggestions = device.suggestionExplanation(of: stack.id)?.candidates ?? []
        #expect(suggestions.allSatisfy { $0.obstacle != nil })
      }
    }
  }
}

extension PropertyTests {
  static func day(_ seed: UInt64) -> RandomDay {
    RandomDay(seed: 10_000 + seed, seconds: 10_000, gap: 30)
  }

  private static func run(_ device: inout Device, _ occurrences: [RandomDay.Occurrence]) -> [Action] {
    occurrences.flatMap { device.handle($0.event, at: RandomDay.instant($0.second)) }
  }

  /// A rotation, without the scores and shares that explain it.
  private static func decision(_ action: Action) -> String? {
    guard let decision = action.decision else { return nil }
    return "\(decision.number) at \(decision.at.milliseconds): \(decision.stack) \(decision.kind) to \(decision.to)"
  }

  /// Whether publishing the timeline replaces no other one: it is for one family, or all instances have it.
  private static func isForAll(_ timeline: Timeline, _ widget: Widget, _ device: Device) -> Bool {
    let instances = device.knownInstances.filter { $0.widget == widget }
    return timeline.family != nil
      || instances.allSatisfy { device.timeline(of: widget, in: $0.family) == timeline }
  }

  private static func scale(_ timeline: Timeline, by factor: Double) throws -> Timeline {
    let entries = try timeline.entries.map { entry in
      let relevance = try entry.relevance.map {
        try TimelineEntryRelevance(score: $0.score * factor, duration: $0.duration)
      }
      return try TimelineEntry(
        date: entry.date, relevance: relevance, content: entry.content, details: entry.details)
    }
    return Timeline(
      submitted: entries, policy: timeline.policy, family: timeline.family, fallback: timeline.fallback,
      group: timeline.group)
  }
}
