import MarqueeModel
import MarqueeScheduler

extension Scenario {
  /// The scenario in YAML. ``init(yaml:)`` parses it without loss, including display strings. The text is deterministic
  /// and changes little if the scenario changes little.
  ///
  /// - Precondition: An app's registrations name no other app, and no kind or type twice, as a device ensures.
  public var yaml: String {
    var writer = ScenarioWriter(context: ScenarioContext(clock: clock, begin: begin, policy: .default))
    return writer.text(of: self)
  }
}

/// Writes a scenario in document order.
struct ScenarioWriter {
  typealias Fields = [YAMLText.Field]

  /// The context established by the text so far.
  private(set) var context: ScenarioContext

  mutating func text(of scenario: Scenario) -> String {
    var text = ""
    // All numbers are written, so that the text keeps its meaning if the defaults change.
    let fields: Fields =
      [
        .init("device", .text(scenario.device.text)), .init("time-zone", .text(scenario.timeZone.text)),
        .init("begin", .text(context.fullText(context.begin))),
      ] + (scenario.until.map { [.init("until", .text(context.fullText($0)))] } ?? []) + [
        .init("policy", .fields(numbers(of: scenario.policy, unless: { _ in false })))
      ]
    for field in fields {
      text += "\(text.isEmpty ? "" : "\n")\(field.key):"
      field.value.write(to: &text, indent: 0)
    }
    context = ScenarioContext(clock: context.clock, begin: context.begin, policy: scenario.policy)
    text += "\nevents:" + (scenario.occurrences.isEmpty ? " []" : "")
    for occurrence in scenario.occurrences {
      var mark = "\n  - "
      let time = YAMLText.Field("at", .text(context.text(occurrence.at)))
      for field in [time] + self.fields(of: occurrence.event, at: occurrence.at) {
        text += "\(mark)\(field.key):"
        field.value.write(to: &text, indent: 4)
        mark = "\n    "
      }
      context.note(occurrence.event)
    }
    return text + "\n"
  }

  /// Returns the numbers in which a policy differs from the one in force.
  private func changes(in policy: Policy) -> Fields {
    let old = context.policy
    return numbers(of: policy) { $0.value(in: policy).bitPattern == $0.value(in: old).bitPattern }
  }

  private func numbers(of policy: Policy, unless isKnown: (PolicyField) -> Bool) -> Fields {
    PolicyField.all.filter { !isKnown($0) }.map { .init($0.key, .text($0.text($0.value(in: policy)))) }
  }
}

extension PolicyField {
  /// The number's name in settings and scenarios.
  var key: String { name.replacing("_", with: "-") }

  /// Formats the number so that it parses to the same double.
  fileprivate func text(_ value: Double) -> String {
    switch unit {
    case .seconds:
      guard value >= 0, let span = TimeSpan(seconds: value), span.seconds.bitPattern == value.bitPattern else { break }
      return span.text
    case .count:
      guard let count = Int(exactly: value), Double(count).bitPattern == value.bitPattern else { break }
      return "\(count)"
    case .number: break
    }
    return "\(value)"
  }
}

// MARK: Events

extension ScenarioWriter {
  /// Returns the verb of an event with its object and additional fields.
  private func fields(of event: Event, at instant: Instant) -> Fields {
    let verb = ScenarioVerb(event).rawValue
    switch event {
    case .kindsRegistered(let app, let descriptors):
      return [
        .init(verb, .text(app.text)), .init("kinds", .fields(descriptors.map { .init($0.kind.name.text, kind($0)) })),
      ]
    case .intentTypesRegistered(let app, let descriptors):
      return [
        .init(verb, .text(app.text)),
        .init("intents", .fields(descriptors.map { .init($0.type.text, intentType($0)) })),
      ]
    case .kindsRemoved(let app, let kinds):
      return [.init(verb, .text(app.text)), .init("kinds", .list(kinds.map { .text($0.text) }))]
    case .intentTypesRemoved(let app, let types):
      return [.init(verb, .text(app.text)), .init("intents", .list(types.map { .text($0.text) }))]
    case .appRemoved(let app): return [.init(verb, .text(app.text))]
    case .contentRemoved: preconditionFailure("a scenario names what is removed")
    case .relevantShortcutsSet(let app, let shortcuts):
      return [.init(verb, .text(app.text)), .init("shortcuts", .lines(shortcuts.map { shortcut($0, of: app) }))]
    case .relevantIntentsSet(let app, let intents):
      return [
        .init(verb, .text(app.text)), .init("relevant-intents", .lines(intents.map { relevantIntent($0, of: app) })),
      ]
    case .timelinePublished(let widget, let timeline): return [.init(verb, self.widget(widget))] + fields(of: timeline)
    case .reloadRequested(let app, let kind):
      return [.init(verb, .text(app.text))] + (kind.map { [YAMLText.Field("kind", .text($0.text))] } ?? [])
    case .stackEdited(let stack, let edit): return fields(verb, stack, edit)
    case .reported(let report): return fields(verb, report)
    case .policyChanged(let policy): return [.init(verb, .fields(changes(in: policy)))]
    case .policyOverridden(let change): return [.init(verb, .fields(fields(of: change)))]
    case .developerModeChanged(let isOn): return [.init(verb, .text(isOn ? "on" : "off"))]
    case .timeZoneChanged(let zone): return [.init(verb, .text(zone.text))]
    case .languageChanged(let language): return [.init(verb, .text(language.text))]
    case .donated(let app, _): return [.init(verb, .text(app.text))] + fields(ofDonations: event, at: instant)
    case .donationsDeleted(let app, _), .donationsRedacted(let app), .donationsTrimmed(let app, _, _):
      return [.init(verb, app.map { .text($0.text) } ?? .nothing)] + fields(ofDonations: event, at: instant)
    case .utcOffsetsLearned(let offsets):
      return [.init(verb, .text(offsets.zone.text))] + fields(ofDonations: event, at: instant)
    case .focusFilterSet(let app, let focus, let intent):
      return [
        .init(verb, .text(app.text)), .init("in-focus", .text(focus.text)), .init("intent", donatedIntent(intent)),
      ]
    case .focusFilterRemoved(let key):
      return [
        .init(verb, .text(key.app.text)), .init("in-focus", .text(key.focus.text)),
        .init("intent", .text(key.intentType.text)),
      ]
    case .upcomingMediaSet(let app, let media):
      let mode = media.mode == .predictive ? [] : [YAMLText.Field("mode", .text("\(media.mode)"))]
      return [.init(verb, .text(app.text)), .init("intents", .lines(media.intents.map(donatedIntent)))] + mode
    }
  }

  private func fields(of change: PolicyChange) -> Fields {
    PolicyField.all.compactMap { field in
      if let value = change.set[field] { return .init(field.key, .text(field.text(value))) }
      return change.reset.contains(field) ? .init(field.key, .nothing) : nil
    }
  }

  private func fields(_ verb: String, _ stack: StackID, _ edit: StackEdit) -> Fields {
    let place: YAMLText.Field = .init("stack", .text(stack.text))
    switch edit {
    case .create(let family): return [.init(verb, .text(stack.text)), .init("family", .text(family.description))]
    case .removeStack: return [.init(verb, .text(stack.text))]
    case .add(let widget, let index):
      return [.init(verb, self.widget(widget)), place] + (index.map { [YAMLText.Field("index", .text("\($0)"))] } ?? [])
    case .remove(let widget): return [.init(verb, self.widget(widget)), place]
    case .move(let widget, let index):
      return [.init(verb, self.widget(widget)), place, .init("index", .text("\(index)"))]
    case .replace(let widget, let replacement):
      return [.init(verb, self.widget(widget)), place, .init("with", self.widget(replacement))]
    case .setSmartRotate(let isOn), .setWidgetSuggestions(let isOn):
      return [.init(verb, .text(isOn ? "on" : "off")), place]
    case .setPin(let widget, let pin):
      let conditions = pin.map(fields(of:)) ?? []
      return [.init(verb, self.widget(widget)), place]
        + (conditions.isEmpty ? [] : [YAMLText.Field("when", .record(conditions))])
    case .setRotationRule(let widget, let rule):
      return [
        .init(verb, self.widget(widget)), place, .init("to", .text(rule.isToAllowed ? "on" : "off")),
        .init("away", .text(rule.isAwayAllowed ? "on" : "off")),
      ]
    }
  }

  private func fields(_ verb: String, _ report: UserReport) -> Fields {
    switch report {
    case .shown(let stack), .hidden(let stack), .suggestionDismissed(let stack), .suggestionKept(let stack):
      [.init(verb, .text(stack.text))]
    case .scrolled(let stack, let widget): [.init(verb, .text(stack.text)), .init("to", self.widget(widget))]
    case .tapped(let stack, let widget): [.init(verb, self.widget(widget)), .init("stack", .text(stack.text))]
    case .reload(let widget), .widgetSuggestionBlocked(let widget, _): [.init(verb, self.widget(widget))]
    case .homeWidgetAdded(let widget, let family), .homeWidgetRemoved(let widget, let family):
      [.init(verb, self.widget(widget))] + field(of: family)
    case .appOpened(let app), .appClosed(let app), .appSuggestionBlocked(let app, _): [.init(verb, .text(app.text))]
    case .widgetSuggestionSnoozed(let widget, let end):
      [.init(verb, self.widget(widget)), .init("until", .text(context.text(end)))]
    case .appSuggestionSnoozed(let app, let end):
      [.init(verb, .text(app.text)), .init("until", .text(context.text(end)))]
    case .contextChanged(.place(let place)): [.init(verb, place.map(self.place) ?? .nothing)]
    case .contextChanged(.focus(let focus)): [.init(verb, focus.map { .text($0.text) } ?? .nothing)]
    case .contextChanged(.routine(let situation)): [.init(verb, .text("\(situation)"))]
    case .surfaceSuggestion(let surface, let id, let outcome):
      [
        .init(verb, .text("\(id)")), .init("surface", .text("\(surface)")), .init("outcome", .text("\(outcome)")),
      ]
    case .widgetSizeChanged(let family, let size):
      [
        .init(verb, .text(family.description)), .init("width", .text("\(size.width)")),
        .init("height", .text("\(size.height)")),
      ]
    }
  }

  private func field(of family: WidgetFamily?) -> Fields {
    family.map { [.init("family", .text($0.description))] } ?? []
  }

  /// Returns the fields of a publication besides the widget.
  func fields(of timeline: Timeline) -> Fields {
    let hasContent = timeline.entries.contains { $0.content != .empty || $0.hasDetails }
    let entries: YAMLText.Field =
      hasContent
      ? .init("entries", .lines(timeline.entries.map(entry)))
      : .init("relevance", .lines(timeline.entries.map(relevance)))
    let fallback = timeline.fallback.map { [YAMLText.Field("fallback", .record(contentFields($0)))] } ?? []
    let fields = field(of: timeline.family) + [entries] + fallback + field(of: timeline.group)
    switch timeline.policy {
    case .never: return fields
    case .atEnd: return fields + [.init("reload", .text("at-end"))]
    case .after(let date): return fields + [.init("reload", .text(context.text(date)))]
    }
  }
}
