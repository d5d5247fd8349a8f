import MarqueeModel

extension Sampler {
  /// Returns a date range or a single date.
  public mutating func window() throws -> DateWindow {
    let start = instant()
    return try DateWindow(start: start, end: maybe { Swift.max(start, $0.instant()) })
  }

  /// Returns a provider of any kind.
  public mutating func provider() throws -> RelevanceProvider {
    switch number(in: 0...4) {
    case 0...1: .date(try window())
    case 2: .location(try PlaceRegion(center: place(), radius: one(of: [0.5, 150, PlaceRegion.radiusMax])))
    case 3: .dailyRoutine(one(of: RoutineSituation.allCases))
    default: .other
    }
  }

  /// Returns a relevant shortcut of up to four providers.
  public mutating func shortcut() throws -> RelevantShortcut {
    let (kind, intent) = (try maybe { try $0.identifier(KindName.self) }, try maybe { try $0.intent() })
    return try RelevantShortcut(
      kind: kind, intent: intent, userActivity: intent == nil ? maybe { try $0.shortcutActivity() } : nil,
      role: one(of: RelevantShortcut.Role.allCases), providers: array { try $0.provider() },
      group: kind == nil ? nil : try maybe { try $0.identifier() })
  }

  /// Returns a user activity whose required keys have values.
  public mutating func shortcutActivity() throws -> UserActivity {
    let activity = try userActivity()
    guard activity.identifyingValues == nil else { return activity }
    return try UserActivity(type: activity.type, title: activity.title, userInfo: activity.userInfo)
  }

  /// Returns a relevant intent.
  public mutating func relevantIntent() throws -> RelevantIntent {
    RelevantIntent(
      intent: try intent(), kind: try identifier(), window: try window(), group: try maybe { try $0.identifier() })
  }

  /// Returns a description of an intent type of `app`.
  public mutating func intentType(of app: AppID) throws -> IntentTypeDescriptor {
    let parameters = try array { chance in
      let type = chance.one(of: IntentValueType.allCases)
      return IntentTypeDescriptor.Parameter(
        name: try chance.identifier(), type: type, isArray: chance.once(in: 2),
        caseTitles: try chance.caseTitles(type), findDescription: chance.once(in: 4) ? chance.text() : "")
    }
    let names = parameters.map(\.name)
    let combinations = try (0...names.count).map { count in
      let names = Array(names.prefix(count))
      return IntentTypeDescriptor.Combination(
        parameters: names, isBackground: once(in: 2), texts: try actionTexts(names))
    }
    return try IntentTypeDescriptor(
      app: app, type: identifier(), parameters: parameters, combinations: combinations,
      isEligibleForWidgets: once(in: 2), isEligibleForSuggestions: once(in: 2), isDiscoverable: once(in: 2),
      isFocusFilter: names.count.isMultiple(of: 2), title: text(), descriptionText: text())
  }

  /// Returns stack edits, one of each kind.
  public mutating func edits() throws -> [StackEdit] {
    let widget = try widget()
    return [
      .create(family()), .removeStack, .add(widget, at: nil), .add(widget, at: 0), .add(widget, at: 63),
      .remove(widget), .move(widget, to: 0), .move(widget, to: 5), .replace(widget, with: try self.widget()),
      .setSmartRotate(true), .setSmartRotate(false),
      .setWidgetSuggestions(true), .setWidgetSuggestions(false), .setPin(widget, nil), .setPin(widget, .always),
      .setPin(widget, try pin()), .setRotationRule(widget, rotationRule()),
    ]
  }

  /// Returns the size of a widget.
  public mutating func widgetSize() throws -> WidgetSize {
    try WidgetSize(width: Double(number(in: 1...4_096)), height: one(of: [0.5, 4_096]))
  }

  /// Returns reports, one of each kind.
  public mutating func reports() throws -> [UserReport] {
    let (stack, widget) = (try identifier(StackID.self), try widget())
    return [
      .shown(stack), .hidden(stack), .scrolled(stack, to: widget), .tapped(stack, widget),
      .reload(widget), .appOpened(widget.kind.app), .appClosed(widget.kind.app),
      .suggestionDismissed(stack), .suggestionKept(stack), .widgetSuggestionBlocked(widget, true),
      .widgetSuggestionBlocked(widget, false), .appSuggestionBlocked(widget.kind.app, true),
      .appSuggestionBlocked(widget.kind.app, false), .widgetSuggestionSnoozed(widget, until: instant()),
      .appSuggestionSnoozed(widget.kind.app, until: instant()), .homeWidgetAdded(widget), .homeWidgetRemoved(widget),
      .homeWidgetAdded(widget, in: family()), .homeWidgetRemoved(widget, in: family()),
      .contextChanged(.place(try place())), .contextChanged(.place(nil)),
      .contextChanged(.focus(try identifier())), .contextChanged(.focus(nil)),
      .contextChanged(.routine(one(of: RoutineSituation.allCases))),
      .surfaceSuggestion(
        one(of: SuggestionSurface.allCases), suggestionID(), one(of: SuggestionOutcome.allCases)),
      .widgetSizeChanged(family(), try widgetSize()),
    ]
  }

  /// Returns an explanation with one obstacle of each kind; it need not be one that the engine would produce.
  public mutating func whyNot() throws -> WhyNot {
    let gaps: [EvidenceGap] = [
      .unknown, .entryExpired(entry: instant(), at: instant(), next: maybe { $0.instant() }),
      .scoreEnded(entry: instant(), end: instant()), .scoreNotPositive(double(), entry: instant()),
      .scoreNotCounted(double(), entry: instant()), .pinNotInForce(.always, next: maybe { $0.instant() }),
      .scoreAhead(instant()), .windowAhead(instant()), .windowEnded(instant()), .onlyWatchFace, .useNotLearned,
      .useUnlikely(probability: double(), required: double()), .unlikely(probability: double(), required: double()),
    ]
    let gate = GateResult(
      one(of: Gate.allCases), isPassed: false, measured: double(), required: double(), clears: maybe { $0.instant() },
      since: maybe { $0.instant() }, episodeEnd: maybe { $0.one(of: EpisodeEnd.allCases) })
    let obstacles: [Obstacle] = [
      .elsewhereOnHomeScreen, .suggested(on: try identifier()), .covered(by: try widget()), .gate(gate),
      .pinned(by: try widget(), until: maybe { $0.instant() }), .represented(by: try widget()),
      .outranked(by: try widget()),
    ]
    return WhyNot(
      widget: try widget(), stack: try identifier(), at: instant(), obstacles: obstacles + gaps.map { .noEvidence($0) })
  }

  /// Returns watch face items, one with each reason.
  public mutating func watchFaceItems() throws -> [WatchFaceItem] {
    let situation = one(of: RoutineSituation.allCases)
    let reasons: [WatchFaceItem.Reason] = [
      .window(since: instant()), .place(distance: double()), .situation(situation, since: instant()),
      .situation(situation, since: nil), .windowAhead(instant()), .placeAway(distance: double()),
      .placeAway(distance: nil), .situationAbsent(situation), .unknownProvider, .anyTime,
    ]
    return try reasons.map { reason in
      WatchFaceItem(
        app: try identifier(), shortcut: try shortcut(), reason: reason, until: maybe { $0.instant() },
        display: maybe { $0.actionDisplay() })
    }
  }
}

extension Sampler {
  /// Returns a value in the description of a finding.
  public mutating func findingValue() -> FindingValue {
    let contents: [FindingValue.Content] = [
      .number(Double(number(in: 0...4_096))), .text(text()),
      .span(TimeSpan(milliseconds: Int64(number(in: 0...9_999)))),
    ]
    return FindingValue(text(), one(of: contents))
  }

  /// Returns a reason of each kind for a suggestion, and some more with absent fields.
  public mutating func suggestionReasons() throws -> [SurfaceSuggestion.Reason] {
    let items = try watchFaceItems()
    let (days, counts) = (number(in: 1...30), (number(in: 0...20), number(in: 20...40)))
    return [
      .habit(habitReasons()), .frequent(doneDayCount: days, dayCount: 30),
      .upcoming(place: number(in: 1...9), playedCount: counts.0, playCount: counts.1), .reservation(start: instant()),
      .messages(sentCount: counts.0, messageCount: counts.1, focus: nil),
      .messages(sentCount: 0, messageCount: counts.1, receivedCount: counts.0, focus: try identifier()),
      .donated(at: instant()),
    ] + items.prefix(3).map { .relevance($0.reason) }
  }
}
