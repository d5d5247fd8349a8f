import MarqueeModel
import MarqueeScheduler
import MarqueeSimulator

/// A line of the day: a decision of the engine or an action of the user.
struct DayEvent {
  let at: Instant
  /// The stack concerned, or `nil` if the event concerns the whole device.
  let stack: StackID?
  /// The kind of event, such as `rotation`.
  let kind: String
  let widget: Widget?
  /// The reason or other details; may be empty.
  let details: String
  /// The engine's decision, if the event is one.
  let decision: Decision?

  private init(
    _ kind: String, at: Instant, stack: StackID? = nil, widget: Widget? = nil, details: String = "",
    decision: Decision? = nil
  ) {
    self.at = at
    self.stack = stack
    self.kind = kind
    self.widget = widget
    self.details = details
    self.decision = decision
  }

  /// Returns the lines of a day, excluding data sent by apps and the initial state.
  static func all(in day: SimulatedDay) -> [DayEvent] {
    let clock = day.scenario.clock
    return day.moments.compactMap { moment in
      switch moment {
      case .action(let action): DayEvent(action) { clock.shortly($0, now: action.at) }
      case .event(let occurrence):
        occurrence.at == day.scenario.begin ? nil : DayEvent(occurrence) { clock.shortly($0, now: occurrence.at) }
      }
    }
  }

  private init?(_ action: Action, format: (Instant) -> String) {
    switch action.order {
    case .rotate(let decision, _), .suggest(let decision, _):
      self.init(
        "\(decision.kind)", at: action.at, stack: decision.stack, widget: decision.to,
        details: decision.explanation.summary(format: format, name: action.name), decision: decision)
    case .withdraw(let stack, let widget, let end):
      self.init("withdrawal", at: action.at, stack: stack.id, widget: widget, details: end.description)
    case .scroll, .updateStack, .removeStack, .addHomeWidget, .removeHomeWidget, .refresh, .requestReload:
      return nil
    case .performFocusFilter(let app, let state):
      self.init("focus filter", at: action.at, details: "\(app)/\(state.intent?.exactText ?? "\(state.intentType)()")")
    }
  }

  private init?(_ occurrence: Scenario.Occurrence, format: (Instant) -> String) {
    let at = occurrence.at
    switch occurrence.event {
    case .kindsRegistered, .intentTypesRegistered, .relevantShortcutsSet, .relevantIntentsSet, .timelinePublished,
      .reloadRequested, .donated, .utcOffsetsLearned, .donationsTrimmed, .upcomingMediaSet, .kindsRemoved,
      .intentTypesRemoved, .focusFilterSet, .focusFilterRemoved, .contentRemoved:
      return nil
    case .stackEdited(let stack, let edit): self.init(edit, of: stack, at: at)
    case .reported(let report): self.init(report, at: at, format: format)
    case .policyOverridden: self.init("policy", at: at, details: "policy overrides changed")
    case .policyChanged: self.init("policy", at: at, details: "configured policy changed")
    case .developerModeChanged(let isOn): self.init("developer mode", at: at, details: isOn ? "on" : "off")
    case .timeZoneChanged(let zone): self.init("time zone", at: at, details: zone.text)
    case .languageChanged(let language): self.init("language", at: at, details: language.text)
    case .donationsDeleted(let app, _), .donationsRedacted(let app):
      self.init("donations deleted", at: at, details: app.map { "of \($0)" } ?? "all")
    case .appRemoved(let app): self.init("app removed", at: at, details: app.text)
    }
  }

  private init(_ edit: StackEdit, of stack: StackID, at: Instant) {
    switch edit {
    case .create(let family): self.init("created", at: at, stack: stack, details: family.description)
    case .removeStack: self.init("deleted", at: at, stack: stack)
    case .add(let widget, _): self.init("added", at: at, stack: stack, widget: widget)
    case .remove(let widget): self.init("removed", at: at, stack: stack, widget: widget)
    case .move(let widget, let index): self.init("moved", at: at, stack: stack, widget: widget, details: "to \(index)")
    case .replace(let widget, let replacement):
      self.init("replaced", at: at, stack: stack, widget: widget, details: "by \(replacement.exactText)")
    case .setSmartRotate(let isOn): self.init("smart rotate", at: at, stack: stack, details: isOn ? "on" : "off")
    case .setWidgetSuggestions(let isOn):
      self.init("widget suggestions", at: at, stack: stack, details: isOn ? "on" : "off")
    case .setPin(let widget, let pin):
      self.init(pin == nil ? "unpinned" : "pinned", at: at, stack: stack, widget: widget, details: pin?.words ?? "")
    case .setRotationRule(let widget, let rule):
      let words = MemberSettings(rotationRule: rule).words
      self.init(
        "rotation rule", at: at, stack: stack, widget: widget,
        details: words.isEmpty ? "all rotations are allowed" : words.joined(separator: "; "))
    }
  }

  private init(_ report: UserReport, at: Instant, format: (Instant) -> String) {
    switch report {
    case .shown(let stack): self.init("shown", at: at, stack: stack)
    case .hidden(let stack): self.init("hidden", at: at, stack: stack)
    case .scrolled(let stack, let widget): self.init("scrolled", at: at, stack: stack, widget: widget)
    case .tapped(let stack, let widget): self.init("tapped", at: at, stack: stack, widget: widget)
    case .reload(let widget): self.init("refreshed", at: at, widget: widget)
    case .appOpened(let app): self.init("app opened", at: at, details: app.text)
    case .appClosed(let app): self.init("app closed", at: at, details: app.text)
    case .suggestionDismissed(let stack): self.init("dismissed", at: at, stack: stack)
    case .suggestionKept(let stack): self.init("kept", at: at, stack: stack)
    case .widgetSuggestionBlocked(let widget, let isBlocked):
      self.init(isBlocked ? "blocked" : "unblocked", at: at, widget: widget)
    case .appSuggestionBlocked(let app, let isBlocked):
      self.init(isBlocked ? "blocked" : "unblocked", at: at, details: app.text)
    case .widgetSuggestionSnoozed(let widget, let end):
      self.init("snoozed", at: at, widget: widget, details: "until \(format(end))")
    case .appSuggestionSnoozed(let app, let end):
      self.init("snoozed", at: at, details: "\(app) until \(format(end))")
    case .homeWidgetAdded(let widget, let family):
      self.init("added", at: at, widget: widget, details: "to the Home Screen\(Self.text(family))")
    case .homeWidgetRemoved(let widget, let family):
      self.init("removed", at: at, widget: widget, details: "from the Home Screen\(Self.text(family))")
    case .contextChanged(.place(let place)):
      self.init("place", at: at, details: place.map { IntentValue.place($0).description } ?? "unknown")
    case .contextChanged(.focus(let focus)): self.init("focus", at: at, details: focus?.text ?? "none")
    case .contextChanged(.routine(let situation)): self.init("routine", at: at, details: "\(situation)")
    case .surfaceSuggestion(let surface, let id, let outcome):
      self.init("suggestion \(outcome)", at: at, details: "\(id) on \(surface)")
    case .widgetSizeChanged(let family, let size): self.init("size", at: at, details: "\(family) \(size)")
    }
  }

  private static func text(_ family: WidgetFamily?) -> String { family.map { " in \($0)" } ?? "" }
}
