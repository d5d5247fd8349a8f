import MarqueeModel
import MarqueeScheduler
import MarqueeTestSupport

/// Events of every kind with extreme values; a device need not accept them.
extension Sampler {
  mutating func event() throws -> Event {
    switch number(in: 0...27) {
    case 0: try kinds()
    case 1: try intentTypes()
    case 2: try shortcuts()
    case 3: try relevantIntents()
    case 4, 5: .timelinePublished(try widget(), try timeline().made(for: maybe { $0.family() }))
    case 6: .reloadRequested(try identifier(), kind: try maybe { try $0.identifier() })
    case 7: .policyChanged(try rules())
    case 15: .policyOverridden(try policyChange())
    case 16: .donated(try identifier(), try array { try $0.donation() })
    case 17:
      .donationsDeleted(try maybe { try $0.identifier() }, try donationSelection())
    case 18: .donationsRedacted(try maybe { try $0.identifier() })
    case 19: .donationsTrimmed(try maybe { try $0.identifier() }, keeping: number(in: 0...65_536))
    case 20: .utcOffsetsLearned(try utcOffsets())
    case 21: .upcomingMediaSet(try identifier(), try upcomingMedia())
    case 22: .kindsRemoved(try identifier(), try array { try $0.identifier() })
    case 23: .intentTypesRemoved(try identifier(), try array { try $0.identifier() })
    case 24: .appRemoved(try identifier())
    case 25: .focusFilterSet(try identifier(), try identifier(), try intent())
    case 26:
      .focusFilterRemoved(FocusFilter.Key(app: try identifier(), intentType: try identifier(), focus: try identifier()))
    case 27: .languageChanged(one(of: [.english, try LanguageTag("de-AT")]))
    case 8: .developerModeChanged(once(in: 2))
    case 9: .timeZoneChanged(try TimeZoneID(one(of: ["Asia/Tokyo", "UTC", "Europe/Berlin"])))
    case 10, 11: .stackEdited(try identifier(), try edit())
    default: .reported(try report())
    }
  }

  /// Kinds of one app, none of one name twice.
  private mutating func kinds() throws -> Event {
    let app: AppID = try identifier()
    return .kindsRegistered(app, try array { try $0.descriptor(of: app) })
  }

  private mutating func intentTypes() throws -> Event {
    let app: AppID = try identifier()
    return .intentTypesRegistered(
      app,
      try array { chance in
        let parameters = try chance.array { chance in
          let type = chance.one(of: IntentValueType.allCases)
          return IntentTypeDescriptor.Parameter(
            name: try chance.identifier(), type: type, isArray: chance.once(in: 2),
            caseTitles: try chance.caseTitles(type), findDescription: chance.once(in: 4) ? chance.text() : "")
        }
        let names = parameters.map(\.name)
        let first = Array(names.prefix(1))
        let some = IntentTypeDescriptor.Combination(
          parameters: first, isBackground: true, texts: try chance.actionTexts(first))
        let all = IntentTypeDescriptor.Combination(parameters: names, texts: try chance.actionTexts(names))
        let combinations = chance.one(of: [[], [all], names.count > 1 ? [all, some] : [some]])
        return try IntentTypeDescriptor(
          app: app, type: chance.identifier(), parameters: parameters, combinations: combinations,
          isEligibleForWidgets: chance.once(in: 2), isEligibleForSuggestions: chance.once(in: 2),
          isDiscoverable: chance.once(in: 2), isFocusFilter: chance.once(in: 3), title: chance.text(),
          descriptionText: chance.text())
      })
  }

  private mutating func window() throws -> DateWindow {
    let (one, other) = (instant(), instant())
    return try DateWindow(start: min(one, other), end: maybe { _ in max(one, other) })
  }

  private mutating func shortcuts() throws -> Event {
    .relevantShortcutsSet(
      try identifier(),
      try array { chance in
        let kind = try chance.maybe { try $0.identifier(KindName.self) }
        let intent = try chance.maybe { try $0.intent() }
        return try RelevantShortcut(
          kind: kind, intent: intent,
          userActivity: intent == nil ? chance.maybe { try $0.shortcutActivity() } : nil,
          role: chance.one(of: RelevantShortcut.Role.allCases),
          providers: chance.array { chance in
            switch chance.number(in: 0...3) {
            case 0: .date(try chance.window())
            case 1:
              .location(
                try PlaceRegion(
                  center: chance.place(), radius: chance.one(of: [0.1, 20_037_508, .leastNonzeroMagnitude])))
            case 2: .dailyRoutine(chance.one(of: RoutineSituation.allCases))
            default: .other
            }
          }, group: kind == nil ? nil : chance.maybe { try $0.identifier() })
      })
  }

  private mutating func relevantIntents() throws -> Event {
    .relevantIntentsSet(
      try identifier(),
      try array { chance in
        RelevantIntent(
          intent: try chance.intent(), kind: try chance.identifier(), window: try chance.window(),
          group: try chance.maybe { try $0.identifier() })
      })
  }

  private mutating func edit() throws -> StackEdit {
    switch number(in: 0...9) {
    case 0: .create(family())
    case 1: .removeStack
    case 2: .add(try widget(), at: maybe { $0.number(in: 0...63) })
    case 3: .remove(try widget())
    case 4: .move(try widget(), to: number(in: 0...63))
    case 5: .setSmartRotate(once(in: 2))
    case 6: .replace(try widget(), with: try widget())
    case 8: .setPin(try widget(), try maybe { try $0.pin() })
    case 9: .setRotationRule(try widget(), rotationRule())
    default: .setWidgetSuggestions(once(in: 2))
    }
  }

  private mutating func report() throws -> UserReport {
    switch number(in: 0...19) {
    case 19: .widgetSizeChanged(family(), try WidgetSize(width: 170.25, height: Double(number(in: 1...4_096))))
    case 18: .widgetSuggestionSnoozed(try widget(), until: instant())
    case 17: .appSuggestionSnoozed(try identifier(), until: instant())
    case 16:
      .surfaceSuggestion(
        one(of: SuggestionSurface.allCases), suggestionID(), one(of: SuggestionOutcome.allCases))
    case 0: .shown(try identifier())
    case 1: .hidden(try identifier())
    case 2: .scrolled(try identifier(), to: try widget())
    case 3: .tapped(try identifier(), try widget())
    case 4: .reload(try widget())
    case 5: .appOpened(try identifier())
    case 6: .appClosed(try identifier())
    case 7: .suggestionDismissed(try identifier())
    case 8: .suggestionKept(try identifier())
    case 9: .widgetSuggestionBlocked(try widget(), once(in: 2))
    case 10: .appSuggestionBlocked(try identifier(), once(in: 2))
    case 11: .homeWidgetAdded(try widget(), in: maybe { $0.family() })
    case 12: .homeWidgetRemoved(try widget(), in: maybe { $0.family() })
    case 13: .contextChanged(.place(try maybe { try $0.place() }))
    case 14: .contextChanged(.focus(try maybe { try $0.once(in: 4) ? FocusID("null") : $0.identifier() }))
    default: .contextChanged(.routine(one(of: RoutineSituation.allCases)))
    }
  }

  /// Device-specific policy numbers, which may be out of range.
  private mutating func policyChange() throws -> PolicyChange {
    var (set, reset) = ([PolicyField: Double](), Set<PolicyField>())
    for field in PolicyField.all {
      switch number(in: 0...3) {
      case 0: set[field] = one(of: [0, -0.0, 300, 1.5, 1e300, 0.0001, .leastNonzeroMagnitude, -7, 86_400.25])
      case 1: reset.insert(field)
      default: break
      }
    }
    return try set.isEmpty && reset.isEmpty
      ? PolicyChange(reset: [PolicyField.all[0]]) : PolicyChange(set: set, reset: reset)
  }

  /// A policy within its ranges.
  mutating func rules() throws -> Policy {
    var policy = Policy()
    if once(in: 2) { policy.timelineWeight = one(of: [0.1, .leastNonzeroMagnitude, 0.30000000000000004]) }
    if once(in: 2) { policy.threshold = one(of: [0, -0.0, 1e300]) }
    if once(in: 2) { policy.dwell = TimeSpan(milliseconds: Int64(number(in: 0...10_000_000))) }
    if once(in: 2) { policy.rotationCountMax = number(in: 0...1_000) }
    if once(in: 2) { policy.pointLength = .days(366) }
    try policy.check()
    return policy
  }
}
