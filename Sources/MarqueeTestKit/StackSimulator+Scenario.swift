internal import MarqueeClient
import MarqueeKit
import MarqueeModel
import MarqueeRPC
import MarqueeScheduler
import MarqueeSimulator
import MarqueeWire

extension StackSimulator {
  /// Replays the rest of the scenario, to the end of the local day of its last event, like `marquee simulate`. Does
  /// nothing without a scenario.
  public func advanceToEnd() async throws {
    guard let end = script.end, end > server.now else { return }
    try await advance(to: end)
  }

  /// Performs all events of the scenario that are due.
  func play() async throws {
    while let occurrence = script.dequeue(until: server.now) {
      do {
        try await perform(occurrence.event)
      } catch let error as RPCStatus {
        throw ScenarioError(line: occurrence.line, field: "event", "rejected: \(error)")
      } catch let error as RequestError {
        throw ScenarioError(line: occurrence.line, field: "event", "rejected: \(error)")
      }
      try await waitUntilIdle()
    }
  }

  private func perform(_ event: Event) async throws {
    switch event {
    case .stackEdited(let stack, let edit): try await display.edit(stack, on: id, edit)
    case .reported(let report): try await display.report(report, on: id)
    case .timeZoneChanged(let zone): try await display.registerDevice(id, timeZone: zone)
    case .languageChanged(let language):
      let zone = try await display.time(of: id).timeZone
      try await display.registerDevice(id, timeZone: zone, language: language)
    case .policyChanged(let policy):
      try await server.restart { $0.policy = policy }
      try await reconnect()
    case .policyOverridden(let change):
      let numbers = PolicyField.all.compactMap { field in
        change.set[field].map { PolicyNumber(name: field.name, value: $0) }
      }
      let names = PolicyField.all.filter(change.reset.contains).map(\.name)
      try await admin.setPolicy(numbers, reset: names, on: id)
    case .developerModeChanged(let isOn): try await admin.setDeveloperMode(isOn, on: id)
    case .donationsDeleted(nil, _): try await admin.deleteAllDonations(on: id)
    case .donationsRedacted(let app): try await admin.deleteAllDonations(on: id, of: app)
    case .appRemoved(let app): try await remove(app)
    case .focusFilterSet(let app, let focus, let intent):
      try await display.setFocusFilter(intent, of: app, in: focus, on: id)
    case .focusFilterRemoved(let key): try await display.removeFocusFilter(key, on: id)
    case .utcOffsetsLearned, .donationsTrimmed, .contentRemoved: break
    case .kindsRegistered(let app, _), .intentTypesRegistered(let app, _), .kindsRemoved(let app, _),
      .intentTypesRemoved(let app, _), .relevantShortcutsSet(let app, _), .relevantIntentsSet(let app, _),
      .upcomingMediaSet(let app, _), .reloadRequested(let app, _), .donated(let app, _),
      .donationsDeleted(.some(let app), _):
      try await perform(event, of: connection(of: app))
    case .timelinePublished(let widget, let timeline): try await publish(timeline, for: widget)
    }
  }

  /// Performs an event that an app causes by a call.
  private func perform(_ event: Event, of connection: AppConnection) async throws {
    let kinds = try hostedKinds()
    let isHosted = kinds.contains { $0.app.text == connection.app }
    let shortcuts = connection.relevantShortcuts
    try await connection.inOrder { provider -> Void in
      switch event {
      case .kindsRegistered(_, let described):
        let new = described.filter { !kinds.contains($0.kind) }
        if !new.isEmpty { try await provider.registerKinds(new) }
      case .intentTypesRegistered(_, let types): if !isHosted { try await provider.registerIntentTypes(types) }
      case .kindsRemoved(_, let kinds): try await provider.removeKinds(kinds)
      case .intentTypesRemoved(_, let types): try await provider.removeIntentTypes(types)
      case .relevantShortcutsSet(_, let set): try await shortcuts.setByHand(set, with: provider)
      case .relevantIntentsSet(_, let intents): try await provider.setRelevantIntents(intents)
      case .upcomingMediaSet(_, let media): try await provider.setUpcomingMedia(media)
      case .reloadRequested(_, let kind): try await provider.requestReload(kind)
      case .donated(_, let donations): try await provider.donate(donations)
      case .donationsDeleted(_, let selection): try await provider.deleteDonations(selection)
      default: preconditionFailure("not an event of an app")
      }
    }.value
  }

  private func publish(_ timeline: MarqueeModel.Timeline, for widget: MarqueeModel.Widget) async throws {
    let kinds = try hostedKinds()
    guard !kinds.contains(widget.kind) else { return }
    // A second stream of the app would receive the host's reload requests (rule T8).
    guard !kinds.contains(where: { $0.app == widget.kind.app }) else {
      throw RequestError(.failedPrecondition, "the hosted app does not declare the kind \(widget.kind)")
    }
    try await ProviderClient.run(server.connection(), device: id, app: widget.kind.app, kinds: []) { provider in
      _ = try await provider.publish(
        timeline.entries, policy: timeline.policy, for: widget, in: timeline.family, fallback: timeline.fallback,
        group: timeline.group)
    }
  }
}
