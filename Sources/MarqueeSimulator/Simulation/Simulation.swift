import MarqueeModel
import MarqueeScheduler

/// Replays a scenario in virtual time, using only the core that a server runs.
public struct Simulation {
  /// The maximum span of a simulation.
  public static let spanMax = TimeSpan.days(3_660)

  private var player: ScenarioPlayer
  private var moments: [SimulatedDay.Moment] = []
  private var stacks = Tracks<StackID, Stack>()
  private var scores = Tracks<Widget, Double>()
  private var windows: ShortcutBars

  private var device: Device { player.device }

  /// Simulates `scenario`. Throws at the first event that the device rejects, naming its line.
  ///
  /// - Parameters:
  ///   - end: The end of the simulation; later events are ignored. The default is the end of the local day of the last
  ///     event.
  ///   - limits: The limits of the device.
  ///   - progress: Called with the current instant of the simulation.
  /// - Throws: ``ScenarioError`` if an event is rejected, or if the span is empty or too long.
  public static func day(
    of scenario: Scenario, until end: Instant? = nil, limits: Limits = .default,
    progress: (_ now: Instant, _ end: Instant) -> Void = { _, _ in }
  ) throws(ScenarioError) -> SimulatedDay {
    let player = try ScenarioPlayer(scenario, until: end, limits: limits, spanMax: spanMax)
    var simulation = Simulation(player, policy: scenario.policy)
    while try simulation.advance() { progress(simulation.device.now, player.end) }
    return simulation.day(of: scenario, end: player.end)
  }

  private init(_ player: ScenarioPlayer, policy: Policy) {
    self.player = player
    windows = ShortcutBars(policy: policy)
  }

  /// Takes the next step; returns `false` at the end.
  private mutating func advance() throws(ScenarioError) -> Bool {
    switch try player.step() {
    case nil: return false
    case .advance(let actions)?: moments += actions.map(SimulatedDay.Moment.action)
    case .event(let occurrence, let actions)?:
      moments.append(.event(occurrence))
      moments += actions.map(SimulatedDay.Moment.action)
      windows.note(occurrence, policy: device.policy)
    }
    record()
    return true
  }

  private mutating func record() {
    stacks.record(device.allStacks.map { ($0.id, $0) }, at: device.now)
    let scored = device.knownWidgets.compactMap { widget -> (Widget, Double)? in
      guard let score = device.memberStatus(of: widget)?.relevance?.effectiveScore, score != 0 else { return nil }
      return (widget, score)
    }
    scores.record(scored, at: device.now)
  }

  private func day(of scenario: Scenario, end: Instant) -> SimulatedDay {
    let stackSpans = stacks.spans(end: end)
    let scoreSpans = scores.spans(end: end)
    let bars = windows.bars(until: end)
    var seen: Set<Widget> = []
    let members = stackSpans.flatMap { $0.spans.flatMap(\.value.members) }
    let widgets = (members + scoreSpans.map(\.key) + bars.map(\.widget)).filter { seen.insert($0).inserted }
    return SimulatedDay(
      scenario: scenario, end: end, moments: moments,
      stacks: stackSpans.map { key, spans in
        StackTrack(id: key, spans: spans.map { StackTrack.Span(start: $0.start, end: $0.end, stack: $0.value) })
      },
      widgets: widgets.map { widget in
        let spans = scoreSpans.first { $0.key == widget }?.spans ?? []
        return WidgetTrack(
          widget: widget,
          scores: spans.map { WidgetTrack.ScoreSpan(start: $0.start, end: $0.end, score: $0.value) },
          windows: bars.filter { $0.widget == widget }.map(\.window))
      },
      device: device)
  }
}

extension Scenario {
  /// The end of the simulation: ``until``, or the end of the local day of the last event. An event at midnight ends its
  /// day.
  package var end: Instant {
    if let until { return until }
    let last = occurrences.last?.at ?? begin
    let within = last > begin ? last.advanced(by: TimeSpan(milliseconds: -1)) : begin
    return clock.dayBounds(containing: within).end
  }
}
