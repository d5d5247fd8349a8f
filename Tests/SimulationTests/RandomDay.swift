import MarqueeModel
import MarqueeScheduler
import MarqueeTestSupport

/// A day of one device, generated from a seed: publications of apps and actions of the user, on whole seconds.
///
/// Durations of the policy are shorter than real ones, so that every gate occurs in a few hours; the windows of 24
/// hours, which no policy changes, need a long day.
struct RandomDay {
  struct Occurrence {
    /// Whole seconds after ``start``.
    let second: Int
    let event: Event
  }

  static let start = Instant(milliseconds: 1_700_000_000_000)!
  static let apps = ["com.example.cards", "com.example.weather", "com.example.notes"].map { name in
    valid { try AppID(name) }
  }
  static let stacks = ["home", "work", "night"].map { name in valid { try StackID(name) } }
  /// Four widgets of one configurable kind, widgets of static kinds, and one of the first kind for all cards.
  static let widgets: [Widget] =
    ["amex", "giro", "visa", "cash"].map(card)
    + [(0, "Balance"), (1, "Forecast"), (1, "Rain"), (2, "Note")].map { Widget(kind: kind(apps[$0.0], $0.1)) }
    + [card(nil)]

  /// The families that a kind supports: one, or several of which stacks have some.
  static func families(of kind: WidgetKind) -> [WidgetFamily] {
    switch kind.name.text {
    case "Balance": [.systemLarge]
    case "Forecast": [.systemSmall, .systemMedium, .systemLarge]
    case "Rain": [.systemSmall, .systemMedium]
    default: [.systemSmall, .systemLarge]
    }
  }

  /// The events of which a day has most, so that what follows from them is common.
  enum Emphasis { case none, pins, publications, habits }

  let seed: UInt64
  let seconds: Int
  let policy: Policy
  /// The device before its first event.
  let device: Device
  private(set) var occurrences: [Occurrence] = []

  /// Creates a day of a number of seconds, with an event every `gap` seconds on average.
  init(seed: UInt64, seconds: Int, gap: Int, emphasis: Emphasis = .none) {
    self.seed = seed
    self.seconds = seconds
    var random = Sampler(seed: seed)
    var policy = Self.policy(&random, isShort: seconds < 40_000)
    if emphasis == .habits { RandomHabits.encourage(&random, &policy) }
    self.policy = policy
    var device = Device(id: Self.id, timeZone: Self.zone, policy: policy, at: Self.start)
    if emphasis == .habits {
      device = RandomHabits.device(&random, device, Self.purchases)
    }
    self.device = device
    var second = 0
    for event in Self.beginning { take(event, second, &device) }
    while true {
      // Several events in one second are common, so that their order matters.
      if !random.once(in: 4) { second += random.number(in: 1...2 * gap) }
      guard second < seconds else { break }
      let isCommon = emphasis != .none && !random.once(in: 8)
      let events = isCommon ? [Self.event(of: emphasis, &random, second)] : Self.events(&random, second)
      for event in events { take(event, second, &device) }
    }
  }

  static func instant(_ second: Int) -> Instant {
    start.advanced(by: .seconds(Int64(second)))
  }

  /// Appends an event if the device accepts it. Other tests verify that a rejected event changes nothing.
  private mutating func take(_ event: Event, _ second: Int, _ device: inout Device) {
    // The subject of the event can appear or expire over time, so the event is checked at its own instant.
    _ = device.advance(to: Self.instant(second))
    do { try device.check(event) } catch { return }
    _ = device.handle(event, at: Self.instant(second))
    occurrences.append(Occurrence(second: second, event: event))
  }
}

extension RandomDay {
  private static let id = valid { try DeviceID("phone") }
  static let zone = valid { try TimeZoneID("Europe/Berlin") }

  private static func kind(_ app: AppID, _ name: String) -> WidgetKind {
    WidgetKind(app: app, name: valid { try KindName(name) })
  }

  private static func card(_ name: String?) -> Widget {
    let intent = valid {
      let parameters = try name.map { name in
        let value = ParameterValue.single(.object(DisplayIdentity(identifier: name, display: name)))
        return [IntentParameter(name: try IntentParameter.Name("card"), value: value)]
      }
      return try Intent(type: purchasesType, parameters: parameters ?? [])
    }
    return Widget(kind: kind(apps[0], "Purchases"), configuration: intent)
  }

  /// Kinds, and stacks of two families; the first two stacks share one widget.
  private static var beginning: [Event] {
    let members: [(family: WidgetFamily, widgets: [Int])] = [
      (.systemSmall, [0, 5, 1]), (.systemLarge, [5, 7]), (.systemSmall, [6, 8]),
    ]
    return registrations + [purchases]
      + zip(stacks, members).flatMap { stack, members in
        [.stackEdited(stack, .create(members.family))]
          + members.widgets.map { .stackEdited(stack, .add(widgets[$0], at: nil)) }
      }
  }

  /// The registrations of all kinds, one by one.
  private static var registrations: [Event] {
    var kinds: [WidgetKind] = []
    for widget in widgets where !kinds.contains(widget.kind) { kinds.append(widget.kind) }
    return kinds.map { kind in
      let isCard = kind == widgets[0].kind
      let configuration: WidgetDescriptor.Configuration? =
        isCard ? widgets[0].configuration.map { .intent($0.type) } : nil
      let descriptor = valid {
        try WidgetDescriptor(
          kind: kind, displayName: "", families: families(of: kind), configuration: configuration ?? .static)
      }
      return Event.kindsRegistered(kind.app, [descriptor])
    }
  }

  private static let purchasesType = valid { try IntentType("ViewPurchases") }

  /// The registration of the type that configures the cards' widgets.
  private static var purchases: Event {
    let descriptor = valid {
      let card = try IntentParameter.Name("card")
      return try IntentTypeDescriptor(
        app: apps[0], type: purchasesType, parameters: [.init(name: card, type: .object)],
        combinations: [.init(parameters: [card]), .init(parameters: [])])
    }
    return .intentTypesRegistered(apps[0], [descriptor])
  }

  private static func policy(_ random: inout Sampler, isShort: Bool) -> Policy {
    var policy = Policy()
    policy.timelineWeight = random.one(of: [0.2, 0.5, 0.8, 0.99])
    policy.threshold = random.one(of: [0, 0.01, 0.3])
    policy.margin = random.one(of: [0, 0.01, 0.4])
    policy.dwell = .seconds(Int64(random.one(of: [0, 60, 300, 900])))
    policy.hold = .seconds(Int64(random.one(of: [0, 60, 300, 900])))
    policy.rotationCountMax = random.one(of: isShort ? [0, 2, 5, 48, 1_000] : [1, 2])
    policy.shortcutWeight = random.one(of: [0.3, 0.9])
    policy.predictionWeight = random.one(of: [0.3, 0.7])
    policy.predictionMin = random.one(of: [0.05, 0.2, 0.4])
    policy.predictionLead = random.one(of: [1, 1.25, 2])
    policy.rotationCost = random.one(of: [0, 0.15, 0.15, 1])
    policy.pointLength = .seconds(Int64(random.one(of: [60, 1_800])))
    policy.suggestionCountMax = random.one(of: [0, 2, 10, 10])
    policy.appSuggestionCountMax = random.one(of: [0, 4, 4, 20])
    policy.priorBad = random.one(of: [0, 1, 1])
    policy.scoreRetention = .seconds(Int64(random.one(of: isShort ? [0, 60, 600, 3_600] : [3_600, 86_400])))
    policy.reloadCountMin = random.one(of: [0, 1, 3])
    policy.reloadCountMax = policy.reloadCountMin + random.one(of: [0, 7, 40])
    policy.reloadSpacing = .seconds(Int64(random.one(of: [0, 30, 300])))
    policy.restingFront = .seconds(Int64(random.one(of: [0, 0, 60, 900])))
    return policy
  }

  /// Sets or resets policy overrides of the device.
  private static func change(_ random: inout Sampler) -> PolicyChange {
    let values: [(String, Double)] = [
      ("dwell", random.one(of: [0, 120])), ("hold", random.one(of: [0, 0, 120])),
      ("point_length", random.one(of: [300, 900])),
      ("threshold", random.one(of: [0, 0.2])), ("shortcut_weight", 0.6),
      ("suggestion_count_max", random.one(of: [3, 30])), ("resting_front", random.one(of: [0, 300])),
    ]
    var (set, reset): ([PolicyField: Double], Set<PolicyField>) = ([:], [])
    for (name, value) in values {
      guard let field = PolicyField(name) else { preconditionFailure("no field \(name)") }
      if random.once(in: 3) { set[field] = value } else { reset.insert(field) }
    }
    return valid { try PolicyChange(set: set, reset: reset) }
  }

  /// An event, sometimes with others that make a rare combination common: two widgets with equal timelines, a widget
  /// that is removed from a stack and added again, or kinds that are removed, with the type of the cards' widgets, and
  /// registered again.
  private static func events(_ random: inout Sampler, _ second: Int) -> [Event] {
    let event = event(&random, second)
    switch event {
    case .timelinePublished(_, let timeline) where random.once(in: 4):
      return [event, .timelinePublished(random.one(of: widgets), timeline.made(for: family(&random)))]
    case .stackEdited(let stack, .remove(let widget)) where random.once(in: 2):
      return [event, .stackEdited(stack, .add(widget, at: nil))]
    case .kindsRemoved where random.once(in: 2):
      return [event, .intentTypesRemoved(apps[0], [purchasesType]), purchases] + registrations
    case .kindsRemoved, .appRemoved: return random.once(in: 2) ? [event] : [event, purchases] + registrations
    default: return [event]
    }
  }

  private static func event(of emphasis: Emphasis, _ random: inout Sampler, _ second: Int) -> Event {
    let (stack, widget) = (random.one(of: stacks), random.one(of: widgets))
    switch emphasis {
    case .pins where !random.once(in: 4): return .stackEdited(stack, RandomPins.edit(&random, second, widget))
    case .publications:
      // Of a few widgets, so that an app often publishes again soon.
      let widget = random.one(of: Array(widgets[5...8]))
      guard random.once(in: 4) else { return .timelinePublished(widget, timeline(&random, second)) }
      return .reported(.scrolled(stack, to: widget))
    case .habits: return RandomHabits.event(&random, second, stack)
    case .none, .pins: return .timelinePublished(widget, timeline(&random, second))
    }
  }

  private static func event(_ random: inout Sampler, _ second: Int) -> Event {
    let (stack, widget, app) = (random.one(of: stacks), random.one(of: widgets), random.one(of: apps))
    return switch random.number(in: 1...165) {
    case ...45: .timelinePublished(widget, timeline(&random, second))
    case ...58: .reported(.scrolled(stack, to: widget))
    case ...62: .reported(.tapped(stack, widget))
    case ...66: .reported(random.once(in: 2) ? .hidden(stack) : .shown(stack))
    case ...68: .reported(.reload(widget))
    case ...72: .reported(random.once(in: 2) ? .appOpened(app) : .appClosed(app))
    case ...77: .reloadRequested(app, kind: random.once(in: 2) ? nil : widget.kind.name)
    case ...96: .stackEdited(stack, edit(&random, widget))
    case ...97: .developerModeChanged(random.once(in: 2))
    case ...98: .policyChanged(policy(&random, isShort: !random.once(in: 2)))
    case ...99: .policyOverridden(change(&random))
    case ...118: shortcuts(&random, second, app)
    case ...121: intents(&random, second)
    case ...140: .reported(hand(&random, second, stack, widget))
    case ...144: RandomDonations.donated(&random, at: instant(second), app)
    case ...148: purchases(&random, second)
    case ...150: .donationsDeleted(app, RandomDonations.selection(&random))
    case ...151: RandomPins.offsets(&random, zone, second)
    case ...153: .reported(.contextChanged(.place(random.one(of: [nil] + RandomPins.places))))
    case ...160: .stackEdited(stack, RandomPins.edit(&random, second, widget))
    case ...161: .appRemoved(app)
    case ...162:
      random.once(in: 4)
        ? .intentTypesRemoved(app, [purchasesType]) : .kindsRemoved(widget.kind.app, [widget.kind.name])
    default: random.one(of: registrations + [purchases])
    }
  }

  /// The user's reactions to suggestions.
  private static func hand(
    _ random: inout Sampler, _ second: Int, _ stack: StackID, _ widget: Widget
  ) -> UserReport {
    switch random.number(in: 1...24) {
    case ...4: .suggestionDismissed(stack)
    case ...7: .suggestionKept(stack)
    case ...10: .widgetSuggestionBlocked(widget, random.once(in: 2))
    case ...11: .appSuggestionBlocked(widget.kind.app, random.once(in: 3))
    case ...13: .homeWidgetAdded(widget, in: family(&random))
    case ...18: .homeWidgetRemoved(widget, in: family(&random))
    case ...19: .contextChanged(.routine(random.one(of: RoutineSituation.allCases)))
    case ...22: .widgetSuggestionSnoozed(widget, until: snoozeEnd(&random, second))
    case ...23: .appSuggestionSnoozed(widget.kind.app, until: snoozeEnd(&random, second))
    default: .contextChanged(.focus(random.once(in: 2) ? nil : valid { try FocusID("rest") }))
    }
  }

  /// The end of a snooze, often at the start of a window.
  private static func snoozeEnd(_ random: inout Sampler, _ second: Int) -> Instant {
    let span = random.one(of: [1, 300, 600, 3_600])
    return instant(random.once(in: 3) ? second + span : (second + span + 299) / 300 * 300)
  }

  private static func shortcuts(_ random: inout Sampler, _ second: Int, _ app: AppID) -> Event {
    let own = widgets.filter { $0.kind.app == app }
    let shortcuts = (0..<random.one(of: [0, 1, 1, 2, 4])).map { _ in
      let widget = random.one(of: own)
      let providers = (0..<random.one(of: [0, 1, 1, 1, 3])).map { _ -> RelevanceProvider in
        random.once(in: 8) ? .dailyRoutine(.gym) : .date(window(&random, second))
      }
      return valid {
        try RelevantShortcut(
          kind: widget.kind.name, intent: widget.configuration, role: .information, providers: providers,
          group: group(&random))
      }
    }
    return .relevantShortcutsSet(app, shortcuts)
  }

  /// A donation of viewing the purchases of a card, often the first, or of all cards; sometimes it arrives late.
  private static func purchases(_ random: inout Sampler, _ second: Int) -> Event {
    let card = random.one(of: [widgets[0], widgets[0], widgets[1], widgets[2], widgets[8]])
    let late = random.one(of: [0, 0, 0, 300, 90_000])
    let number = random.number(in: 0...40)
    return valid {
      let configuration = card.configuration
      let donation = Donation(
        id: try Donation.ID("purchases \(number)"), date: instant(max(0, second - late)),
        activity: .intent(try configuration ?? Intent(type: purchasesType)))
      return .donated(apps[0], [donation])
    }
  }

  private static func intents(_ random: inout Sampler, _ second: Int) -> Event {
    let intents = widgets[0...random.number(in: 0...3)].compactMap { widget in
      widget.configuration.map {
        RelevantIntent(
          intent: $0, kind: widget.kind.name, window: window(&random, second), group: group(&random))
      }
    }
    return .relevantIntentsSet(apps[0], random.once(in: 4) ? [] : intents)
  }

  /// A window whose start often recurs, so that sets contain the same one twice.
  private static func window(_ random: inout Sampler, _ second: Int) -> DateWindow {
    let start = max(0, (second + random.number(in: -600...1_800)) / 300 * 300)
    let span = random.one(of: [0, 60, 300, 1_800, 7_200])
    return valid { try DateWindow(start: instant(start), end: random.once(in: 4) ? nil : instant(start + span)) }
  }

  private static func edit(_ random: inout Sampler, _ widget: Widget) -> StackEdit {
    switch random.number(in: 1...24) {
    case ...9: .add(widget, at: random.once(in: 2) ? nil : random.number(in: 0...3))
    case ...12: .remove(widget)
    case ...15: .move(widget, to: random.number(in: 0...3))
    case 16: .removeStack
    case 17: .create(random.one(of: [.systemSmall, .systemLarge, .systemLarge, .systemMedium]))
    case 18...20: .setWidgetSuggestions(!random.once(in: 4))
    case 21...22: .replace(widget, with: random.one(of: widgets))
    default: .setSmartRotate(!random.once(in: 3))
    }
  }

  private static func timeline(_ random: inout Sampler, _ second: Int) -> Timeline {
    let span = random.one(of: [600, 3_600, 20_000])
    let entries = (0..<random.one(of: [0, 1, 1, 2, 4, 9])).map { _ in
      let date = instant(max(0, second + random.number(in: -span / 4...span)))
      return entry(&random, date)
    }
    let policy: TimelineReloadPolicy =
      switch random.number(in: 1...3) {
      case 1: .atEnd
      case 2: .after(instant(max(0, second + random.number(in: -300...7_200))))
      default: .never
      }
    let fallback = random.once(in: 4) ? content("fallback") : nil
    return Timeline(
      submitted: entries, policy: policy, family: family(&random), fallback: fallback, group: group(&random))
  }

  /// Often no group, or one of two that widgets of every app share.
  private static func group(_ random: inout Sampler) -> GroupName? {
    random.one(of: [nil, nil, "bills", "travel"]).map { name in valid { try GroupName(name) } }
  }

  /// An entry, which often expires, sometimes before the publication, and is sometimes private.
  private static func entry(_ random: inout Sampler, _ date: Instant) -> TimelineEntry {
    let relevance = relevance(&random)
    guard random.once(in: 2) else { return TimelineEntry(date: date, relevance: relevance) }
    let lifetime = random.one(of: [nil, 1, 60, 300, 1_800, 7_200] as [Int64?])
    let sensitivity: EntrySensitivity =
      random.once(in: 2) ? .none : .isPrivate(random.once(in: 2) ? content("redacted") : nil)
    return valid {
      let details = EntryDetails(
        expiry: lifetime.map { date.advanced(by: .seconds($0)) }, sensitivity: sensitivity,
        link: random.once(in: 2) ? try EntryLink("cards://balance") : nil)
      return try TimelineEntry(
        date: date, relevance: relevance, content: content("balance"), details: details)
    }
  }

  private static func content(_ text: String) -> EntryContent {
    valid { try EntryContent(mediaType: "text/plain", bytes: Array(text.utf8)) }
  }

  /// No family, which is most common, or one.
  private static func family(_ random: inout Sampler) -> WidgetFamily? {
    random.one(of: [nil, nil, nil, .systemSmall, .systemLarge, .systemMedium])
  }

  private static func relevance(_ random: inout Sampler) -> TimelineEntryRelevance? {
    if random.once(in: 4) { return nil }
    let score = random.one(of: [-1, 0, 0.3, 1, 2, 5, 5, 10, 52.6, Double(random.number(in: 1...100))])
    let duration = random.one(of: [0, 0, 60, 300, 1_800, 7_200])
    return valid { try TimelineEntryRelevance(score: score, duration: .seconds(Int64(duration))) }
  }
}
