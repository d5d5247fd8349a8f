import MarqueeLint
import MarqueeModel
import MarqueeScheduler
import MarqueeYAML

/// The findings about the data that the apps of a scenario send, as a server reports them when the data arrives.
///
/// Call ``advance()`` until it returns `false`; each call computes one step of the scenario's device.
struct ScenarioLint {
  private(set) var report = LintReport()
  private var player: ScenarioPlayer
  /// The places of each event, and its timeline in the order of the text.
  private let sources: [Source]

  private struct Source {
    var places: SourcePlaces
    var submitted: SubmittedTimeline?
  }

  /// Reads a scenario.
  init(_ root: YAMLNode, spanMax: TimeSpan) throws(ScenarioError) {
    let scenario: Scenario
    do throws(YAMLError) {
      scenario = try ScenarioReader.scenario(root)
      sources = try Self.sources(of: scenario, root)
    } catch {
      throw ScenarioError(error)
    }
    player = try ScenarioPlayer(scenario, until: nil, limits: .default, spanMax: spanMax)
  }

  /// Applies the next event, or advances to it.
  ///
  /// - Returns: Whether there may be another event.
  mutating func advance() throws(ScenarioError) -> Bool {
    guard player.nextEvent != nil else { return false }
    guard let (number, occurrence) = player.dueEvent else {
      _ = try player.step()
      return true
    }
    let source = sources[number]
    var checked: (subject: LintFinding.Subject, warnings: [LintWarning])?
    _ = try player.step { device in checked = Self.warnings(about: occurrence.event, source, on: device) }
    guard let (subject, warnings) = checked else { return true }
    report.caseCount += 1
    if subject == .timeline { report.timelineCount += 1 } else { report.setCount += 1 }
    let place = occurrence.line.map { "line \($0), " } ?? ""
    let name = place + ScenarioVerb(occurrence.event).rawValue
    report.findings += warnings.map { LintFinding($0, caseName: name, subject, nil, source.places) }
    return true
  }

  /// Returns the warnings about an event, or `nil` if it sends no data, from the state of the device before it.
  private static func warnings(
    about event: Event, _ source: Source, on device: Device
  ) -> (subject: LintFinding.Subject, warnings: [LintWarning])? {
    switch event {
    case .timelinePublished(let widget, let timeline):
      let submitted =
        source.submitted
        ?? SubmittedTimeline(timeline.entries, policy: timeline.policy, family: timeline.family)
      let context = LintContext(device, publishingFor: widget, in: timeline.family)
      return (.timeline, TimelineLint.warnings(submitted: submitted, context: context))
    case .relevantShortcutsSet(let app, let shortcuts):
      let context = ShortcutLintContext(device, setBy: app)
      return (.relevantShortcuts, ShortcutLint.warnings(set: shortcuts, context: context))
    case .relevantIntentsSet(let app, let intents):
      let context = ShortcutLintContext(device, setBy: app)
      return (.relevantIntents, ShortcutLint.warnings(set: intents, context: context))
    case .intentTypesRegistered(_, let types):
      return (.intentTypes, IntentTypeLint.warnings(registered: types))
    case .donated(let app, let donations):
      let context = DonationLintContext(device, donating: donations, by: app)
      return (.donations, DonationLint.warnings(donated: donations, context: context))
    default: return nil
    }
  }
}

// MARK: Places

extension ScenarioLint {
  /// Returns the source of each occurrence. Those of `events` are the last ones, each of one node.
  private static func sources(of scenario: Scenario, _ root: YAMLNode) throws(YAMLError) -> [Source] {
    let nodes = try root["events"].map { (node) throws(YAMLError) in node.isNull ? [] : try node.list("events") } ?? []
    let initialCount = scenario.occurrences.count - nodes.count
    var sources = scenario.occurrences.prefix(initialCount).map { Source(places: SourcePlaces(line: $0.line)) }
    let context = ScenarioContext(clock: scenario.clock, begin: scenario.begin, policy: .default)
    let reader = ScenarioReader(context: context)
    for (node, occurrence) in zip(nodes, scenario.occurrences.dropFirst(initialCount)) {
      var source = Source(places: SourcePlaces(node, items: try items(of: occurrence.event, node)))
      if case .timelinePublished = occurrence.event {
        var fields = try node.fields("an event")
        source.submitted = try reader.submittedTimeline(&fields, at: occurrence.at)
      }
      sources.append(source)
    }
    return sources
  }

  /// Returns the nodes of the entries or items of an event.
  private static func items(of event: Event, _ node: YAMLNode) throws(YAMLError) -> [YAMLNode] {
    switch event {
    case .timelinePublished: try (node["relevance"] ?? node["entries"])?.list("entries") ?? []
    case .relevantShortcutsSet: try node["shortcuts"]?.list("shortcuts") ?? []
    case .relevantIntentsSet: try node["relevant-intents"]?.list("intents") ?? []
    case .intentTypesRegistered: try node["intents"]?.entries("intents").map(\.key) ?? []
    case .donated: try node["donations"]?.list("donations") ?? []
    default: []
    }
  }
}
