import MarqueeModel
import MarqueeScheduler
import MarqueeYAML

extension ScenarioReader {
  mutating func readEvents(_ node: YAMLNode) throws(YAMLError) {
    var last = context.begin
    for place in try node.list("a list of events") {
      var fields = try place.fields("an event: a mapping with the key at and an event key")
      let time = try fields.require("at")
      let at = try date(time)
      guard at >= last else {
        throw time.error("expected \(context.text(last)) or later: events must be in chronological order")
      }
      last = at
      let event = try event(&fields, at: at)
      try fields.rejectUnreadKeys()
      try append(event, at: at, place)
    }
  }

  private func event(_ fields: inout YAMLFields, at: Instant) throws(YAMLError) -> Event {
    var found: (verb: ScenarioVerb, object: YAMLNode)?
    for verb in ScenarioVerb.allCases where fields.has(verb.rawValue) {
      if let found {
        throw fields.node.error("expected one event key, found \(found.verb.rawValue) and \(verb.rawValue)")
      }
      found = fields.readIncludingNull(verb.rawValue).map { (verb, $0) }
    }
    guard let (verb, object) = found else {
      let verbs = ScenarioVerb.allCases.map(\.rawValue).joined(separator: ", ")
      throw fields.node.error("expected one of the keys \(verbs)")
    }
    return try event(verb, object, &fields, at: at)
  }

  private func event(
    _ verb: ScenarioVerb, _ object: YAMLNode, _ fields: inout YAMLFields, at: Instant
  ) throws(YAMLError) -> Event {
    switch verb {
    case .registerKinds:
      let app = try app(object)
      return .kindsRegistered(app, try kinds(try fields.require("kinds"), of: app))
    case .registerIntents:
      let app = try app(object)
      return .intentTypesRegistered(app, try intentTypes(try fields.require("intents"), of: app))
    case .removeKinds: return .kindsRemoved(try app(object), try removedKinds(&fields))
    case .removeIntentTypes: return .intentTypesRemoved(try app(object), try removedIntentTypes(&fields))
    case .removeApp: return .appRemoved(try app(object))
    case .setShortcuts:
      let app = try app(object)
      let shortcuts = try fields.require("shortcuts").list("a list of shortcuts") { (node) throws(YAMLError) in
        try shortcut(node, of: app)
      }
      return .relevantShortcutsSet(app, shortcuts)
    case .setRelevantIntents:
      let app = try app(object)
      let intents = try fields.require("relevant-intents").list("a list of intents") { (node) throws(YAMLError) in
        try relevantIntent(node, of: app)
      }
      return .relevantIntentsSet(app, intents)
    case .publish: return .timelinePublished(try widget(object), try timeline(&fields, at: at))
    case .requestReload:
      let kind = try fields.read("kind")?.value("a kind's name", KindName.init)
      return .reloadRequested(try app(object), kind: kind)
    case .createStack, .deleteStack, .add, .remove, .move, .replace, .smartRotate, .widgetSuggestions, .pin,
      .unpin, .rotationRule:
      return try edit(verb, object, &fields)
    case .policy: return .policyChanged(try policy(object))
    case .devicePolicy: return .policyOverridden(try policyChange(object))
    case .developerMode: return .developerModeChanged(try isOn(object))
    case .timeZone:
      return .timeZoneChanged(
        try object.value("a time zone") { text throws(RequestError) in
          let zone = try TimeZoneID(text)
          _ = try DeviceClock(zone)
          return zone
        })
    case .language: return .languageChanged(try object.value("a language tag", LanguageTag.init))
    case .show, .hide, .scroll, .tap, .refresh, .openApp, .closeApp, .dismiss, .keep, .blockWidget, .unblockWidget,
      .blockApp, .unblockApp, .snoozeWidget, .snoozeApp, .addHome, .removeHome, .place, .focus, .routine, .suggestion,
      .widgetSize:
      return .reported(try report(verb, object, &fields))
    case .upcomingMedia:
      let intents = try fields.require("intents").list("a list of intents", donatedIntent)
      let mode = try fields.read("mode")?.parsed("predictive or only-suggested", UpcomingMedia.Mode.init)
      let media = try object.checked { () throws(RequestError) in
        try UpcomingMedia(intents: intents, mode: mode ?? .predictive)
      }
      return .upcomingMediaSet(try app(object), media)
    case .setFocusFilter:
      let focus = try fields.require("in-focus").value("a focus", FocusID.init)
      return .focusFilterSet(try app(object), focus, try donatedIntent(try fields.require("intent")))
    case .removeFocusFilter:
      let focus = try fields.require("in-focus").value("a focus", FocusID.init)
      let type = try fields.require("intent").value("an intent type", IntentType.init)
      return .focusFilterRemoved(FocusFilter.Key(app: try app(object), intentType: type, focus: focus))
    case .donate, .deleteDonations, .redactDonations, .trimDonations, .utcOffsets:
      return try donationEvent(verb, object, &fields, at: at)
    }
  }

  private func removedKinds(_ fields: inout YAMLFields) throws(YAMLError) -> [KindName] {
    try fields.require("kinds").list("a list of kinds") { (node) throws(YAMLError) in
      try node.value("a kind's name", KindName.init)
    }
  }

  private func removedIntentTypes(_ fields: inout YAMLFields) throws(YAMLError) -> [IntentType] {
    try fields.require("intents").list("a list of intent types") { (node) throws(YAMLError) in
      try node.value("an intent type", IntentType.init)
    }
  }

  private func edit(
    _ verb: ScenarioVerb, _ object: YAMLNode, _ fields: inout YAMLFields
  ) throws(YAMLError) -> Event {
    switch verb {
    case .createStack:
      return .stackEdited(try stack(object), .create(try family(try fields.require("family"))))
    case .deleteStack: return .stackEdited(try stack(object), .removeStack)
    case .add:
      let index = try fields.read("index").map(whole)
      return .stackEdited(try stack(try fields.require("stack")), .add(try widget(object), at: index))
    case .remove: return .stackEdited(try stack(try fields.require("stack")), .remove(try widget(object)))
    case .move:
      let index = try whole(try fields.require("index"))
      return .stackEdited(try stack(try fields.require("stack")), .move(try widget(object), to: index))
    case .replace:
      let replacement = try widget(try fields.require("with"))
      return .stackEdited(try stack(try fields.require("stack")), .replace(try widget(object), with: replacement))
    case .smartRotate:
      return .stackEdited(try stack(try fields.require("stack")), .setSmartRotate(try isOn(object)))
    case .widgetSuggestions:
      return .stackEdited(try stack(try fields.require("stack")), .setWidgetSuggestions(try isOn(object)))
    case .pin:
      let pin = try fields.read("when").map(pin) ?? .always
      return .stackEdited(try stack(try fields.require("stack")), .setPin(try widget(object), pin))
    case .unpin: return .stackEdited(try stack(try fields.require("stack")), .setPin(try widget(object), nil))
    case .rotationRule:
      let rule = RotationRule(
        isToAllowed: try isOn(try fields.require("to")), isAwayAllowed: try isOn(try fields.require("away")))
      return .stackEdited(try stack(try fields.require("stack")), .setRotationRule(try widget(object), rule))
    default: preconditionFailure("\(verb) edits no stack")
    }
  }

  private func report(
    _ verb: ScenarioVerb, _ object: YAMLNode, _ fields: inout YAMLFields
  ) throws(YAMLError) -> UserReport {
    switch verb {
    case .show: return .shown(try stack(object))
    case .hide: return .hidden(try stack(object))
    case .scroll: return .scrolled(try stack(object), to: try widget(try fields.require("to")))
    case .tap: return .tapped(try stack(try fields.require("stack")), try widget(object))
    case .refresh: return .reload(try widget(object))
    case .openApp: return .appOpened(try app(object))
    case .closeApp: return .appClosed(try app(object))
    case .dismiss: return .suggestionDismissed(try stack(object))
    case .keep: return .suggestionKept(try stack(object))
    case .blockWidget: return .widgetSuggestionBlocked(try widget(object), true)
    case .unblockWidget: return .widgetSuggestionBlocked(try widget(object), false)
    case .blockApp: return .appSuggestionBlocked(try app(object), true)
    case .unblockApp: return .appSuggestionBlocked(try app(object), false)
    case .snoozeWidget:
      return .widgetSuggestionSnoozed(try widget(object), until: try date(try fields.require("until")))
    case .snoozeApp: return .appSuggestionSnoozed(try app(object), until: try date(try fields.require("until")))
    case .addHome: return .homeWidgetAdded(try widget(object), in: try fields.read("family").map(family))
    case .removeHome: return .homeWidgetRemoved(try widget(object), in: try fields.read("family").map(family))
    case .place: return .contextChanged(.place(object.isNull ? nil : try place(object)))
    case .focus:
      return .contextChanged(.focus(object.isNull ? nil : try object.value("a focus", FocusID.init)))
    case .routine: return .contextChanged(.routine(try situation(object)))
    case .suggestion:
      let id = try object.parsed("the name of a suggestion: 32 hexadecimal digits", SuggestionID.init)
      let surfaces = SuggestionSurface.allCases.map(\.description).joined(separator: ", ")
      let surface = try fields.require("surface").parsed("one of \(surfaces)", SuggestionSurface.init)
      let outcome = try fields.require("outcome").parsed("shown, acted or dismissed", SuggestionOutcome.init)
      return .surfaceSuggestion(surface, id, outcome)
    case .widgetSize:
      let (width, height) = (try number(try fields.require("width")), try number(try fields.require("height")))
      let size = try object.checked { () throws(RequestError) in try WidgetSize(width: width, height: height) }
      return .widgetSizeChanged(try family(object), size)
    default: preconditionFailure("\(verb) is no report")
    }
  }
}
