import MarqueeModel
import MarqueeScheduler
import Testing

extension Scene {
  /// Returns the events for the words of a line.
  func events(_ words: [String]) throws -> [Event] {
    // Commands that need a stack have it as the second word.
    let stack = words.count > 1 ? try? StackID(words[1]) : nil
    switch (words[0], words.count) {
    case ("stack", 2...), ("large", 2...):
      let id = try #require(stack)
      return [.stackEdited(id, .create(words[0] == "large" ? .systemLarge : .systemSmall))]
        + (try words.dropFirst(2).flatMap { try registering($0) { .stackEdited(id, .add($0, at: nil)) } })
    case ("add", 3...4):
      let index = words.count == 4 ? Int(words[3]) : nil
      return try registering(words[2]) { .stackEdited(try #require(stack), .add($0, at: index)) }
    case ("publish", 2...):
      return try registering(words[1]) { .timelinePublished($0, try timeline(words.dropFirst(2))) }
    case ("remove", 3): return [.stackEdited(try #require(stack), .remove(try widget(words[2])))]
    case ("move", 4):
      return [.stackEdited(try #require(stack), .move(try widget(words[2]), to: try #require(Int(words[3]))))]
    case ("drop", 2): return [.stackEdited(try #require(stack), .removeStack)]
    case ("rotate", 3): return [.stackEdited(try #require(stack), .setSmartRotate(words[2] == "on"))]
    case ("scroll", 3): return [.reported(.scrolled(try #require(stack), to: try widget(words[2])))]
    case ("tap", 3): return [.reported(.tapped(try #require(stack), try widget(words[2])))]
    case ("hide", 2): return [.reported(.hidden(try #require(stack)))]
    case ("show", 2): return [.reported(.shown(try #require(stack)))]
    case ("open", 2): return [.reported(.appOpened(try widget(words[1]).kind.app))]
    case ("close", 2): return [.reported(.appClosed(try widget(words[1]).kind.app))]
    case ("pull", 2): return [.reported(.reload(try widget(words[1])))]
    case ("ask", 2): return [.reloadRequested(try widget(words[1]).kind.app, kind: nil)]
    case ("shortcut", 1...): return try shortcuts(words.dropFirst())
    case ("intent", 1...): return try relevantIntents(words.dropFirst())
    case ("register", 2): return try registering(words[1])
    case ("unregister", 2):
      let kind = try widget(words[1]).kind
      return [.kindsRemoved(kind.app, [kind.name])]
    case ("uninstall", 2): return [.appRemoved(try widget(words[1]).kind.app)]
    case ("home", 2...3):
      let family = try Self.family(words.dropFirst(2))
      return try registering(words[1]) { .reported(.homeWidgetAdded($0, in: family)) }
    case ("unhome", 2...3):
      return [.reported(.homeWidgetRemoved(try widget(words[1]), in: try Self.family(words.dropFirst(2))))]
    case ("dismiss", 2): return [.reported(.suggestionDismissed(try #require(stack)))]
    case ("keep", 2): return [.reported(.suggestionKept(try #require(stack)))]
    case ("block", 2): return [.reported(.widgetSuggestionBlocked(try widget(words[1]), true))]
    case ("unblock", 2): return [.reported(.widgetSuggestionBlocked(try widget(words[1]), false))]
    case ("blockapp", 2): return [.reported(.appSuggestionBlocked(try widget(words[1]).kind.app, true))]
    case ("unblockapp", 2): return [.reported(.appSuggestionBlocked(try widget(words[1]).kind.app, false))]
    case ("snooze", 3):
      return [.reported(.widgetSuggestionSnoozed(try widget(words[1]), until: try Self.time(words[2])))]
    case ("snoozeapp", 3):
      return [.reported(.appSuggestionSnoozed(try widget(words[1]).kind.app, until: try Self.time(words[2])))]
    case ("suggestions", 3): return [.stackEdited(try #require(stack), .setWidgetSuggestions(words[2] == "on"))]
    case ("pin", 3...): return [.stackEdited(try #require(stack), try pin(words))]
    case ("unpin", 3): return [.stackEdited(try #require(stack), .setPin(try widget(words[2]), nil))]
    case ("allow", 3...):
      let rule = RotationRule(isToAllowed: words.contains("to"), isAwayAllowed: words.contains("away"))
      return [.stackEdited(try #require(stack), .setRotationRule(try widget(words[2]), rule))]
    case ("replace", 4):
      return try registering(words[3]) { .stackEdited(try #require(stack), .replace(try widget(words[2]), with: $0)) }
    case ("focus", 1...2):
      return [.reported(.contextChanged(.focus(try words.dropFirst().first.map { try FocusID($0) })))]
    case ("place", 1...2): return [.reported(.contextChanged(.place(try words.dropFirst().first.map(Self.place))))]
    case ("offsets", 2...): return [.utcOffsetsLearned(try offsets(words.dropFirst()))]
    case ("developer", 2): return [.developerModeChanged(words[1] == "on")]
    case ("policy", 2...): return [.policyChanged(try policy(words.dropFirst()))]
    default:
      Issue.record("no such command: \(words.joined(separator: " "))")
      return []
    }
  }

  /// Returns the family `small`, `large` or `medium`, or `nil` without a word.
  static func family(_ words: ArraySlice<String>) throws -> WidgetFamily? {
    let families: [String: WidgetFamily] = ["small": .systemSmall, "medium": .systemMedium, "large": .systemLarge]
    return try words.first.map { try #require(families[$0], "\($0) is not a family") }
  }

  func widget(_ name: String) throws -> Widget {
    let parts = name.split(separator: "@").map(String.init)
    let kind = WidgetKind(app: try AppID("com.example.\(parts[0])"), name: try KindName(parts[0]))
    guard parts.count == 2 else { return Widget(kind: kind) }
    let value = ParameterValue.single(.enumCase(parts[1]))
    let parameter = IntentParameter(name: try IntentParameter.Name("which"), value: value)
    return Widget(kind: kind, configuration: try Intent(type: try IntentType("Configure"), parameters: [parameter]))
  }

  /// Returns the event, preceded by a registration of the widget's kind if it is new.
  func registering(_ name: String, _ event: (Widget) throws -> Event) throws -> [Event] {
    try registering(name) + [event(try widget(name))]
  }

  /// Returns registrations of the widget's kind and of its configuration intent type, if they are new.
  private func registering(_ name: String) throws -> [Event] {
    let widget = try widget(name)
    guard !device.registeredKinds.contains(where: { $0.kind == widget.kind }) else { return [] }
    let descriptor = try WidgetDescriptor(
      kind: widget.kind, displayName: name, families: Self.families(of: widget),
      configuration: widget.configuration.map { .intent($0.type) } ?? .static)
    guard let intent = widget.configuration else { return [.kindsRegistered(widget.kind.app, [descriptor])] }
    let which = try IntentParameter.Name("which")
    let type = try IntentTypeDescriptor(
      app: widget.kind.app, type: intent.type, parameters: [.init(name: which, type: .enumCase)],
      combinations: [.init(parameters: [which])])
    return [.kindsRegistered(widget.kind.app, [descriptor]), .intentTypesRegistered(widget.kind.app, [type])]
  }

  /// The families of a widget's kind: small and large if its name begins with `duo`, otherwise small.
  private static func families(of widget: Widget) -> [WidgetFamily] {
    widget.kind.name.text.hasPrefix("duo") ? [.systemSmall, .systemLarge] : [.systemSmall]
  }

  /// `home cards 7:00-9:00 days=04 focus=rest place=48`: an always pin without further words; day 0 is Monday, and the
  /// pinned region is around a place of that latitude.
  private func pin(_ words: [String]) throws -> StackEdit {
    var (times, days): ([Int], Weekdays) = ([], .all)
    var (region, focus): (PlaceRegion?, FocusID?)
    for word in words.dropFirst(3) {
      let parts = word.split(separator: "=").map(String.init)
      switch parts[0] {
      case "days": days = Weekdays(try parts[1].map { Weekdays(try #require($0.wholeNumberValue)) })
      case "focus": focus = try FocusID(parts[1])
      case "place": region = try PlaceRegion(center: Self.place(parts[1]), radius: 500)
      default: times = try word.split(separator: "-").map { try Self.second($0) / 60 }
      }
    }
    let range = times.isEmpty ? nil : try PinTimes(weekdays: days, start: times[0], end: times[1])
    return .setPin(try widget(words[2]), Pin(times: range, place: region, focus: focus))
  }

  private static func place(_ latitude: String) throws -> Place {
    try Place(latitude: try #require(Double(latitude)), longitude: 11.5, display: "")
  }

  /// `0:00=0 2:00=3600`: the offsets, in seconds, from these times on.
  private func offsets(_ words: ArraySlice<String>) throws -> UTCOffsets {
    let steps = try words.map { word in
      let parts = word.split(separator: "=").map(String.init)
      return UTCOffsets.Step(start: try Self.time(parts[0]), seconds: try #require(Int(parts[1])))
    }
    return try UTCOffsets(zone: device.timeZone, steps: steps, end: Self.instant(1_000_000))
  }

  /// `cards 9:00-9:30 12:00` sets the only shortcut of the app `cards`, with two windows, the second a point in time;
  /// `cards` alone has no providers, `cards gym` a routine, and `-cards` clears the set. `in=bills` is a group.
  private func shortcuts(_ words: ArraySlice<String>) throws -> [Event] {
    let name = try #require(words.first)
    if name.hasPrefix("-") { return [.relevantShortcutsSet(try widget(String(name.dropFirst())).kind.app, [])] }
    return try registering(name) { widget in
      let (group, words) = try Self.group(words.dropFirst())
      let providers = try words.map { word -> RelevanceProvider in
        word == "gym" ? .dailyRoutine(.gym) : .date(try Self.window(word))
      }
      let shortcut = try RelevantShortcut(
        kind: widget.kind.name, intent: widget.configuration, role: .information, providers: providers, group: group)
      return .relevantShortcutsSet(widget.kind.app, [shortcut])
    }
  }

  /// `purse@visa 9:00-9:30` sets the only relevant intent of the app `purse`; `-purse` clears the set. `+` separates
  /// the intents of several widgets of one app, and `in=bills` is a group.
  private func relevantIntents(_ words: ArraySlice<String>) throws -> [Event] {
    let name = try #require(words.first)
    if name.hasPrefix("-") { return [.relevantIntentsSet(try widget(String(name.dropFirst())).kind.app, [])] }
    var intents: [RelevantIntent] = []
    for words in words.split(separator: "+") {
      let (widget, (group, windows)) = (try widget(words[words.startIndex]), try Self.group(words.dropFirst()))
      let intent = try #require(widget.configuration)
      intents += try windows.map {
        RelevantIntent(intent: intent, kind: widget.kind.name, window: try Self.window($0), group: group)
      }
    }
    return try registering(name) { .relevantIntentsSet($0.kind.app, intents) }
  }

  /// Returns the group that a word such as `in=bills` names, and the other words.
  private static func group(_ words: ArraySlice<String>) throws -> (GroupName?, [String]) {
    let name = words.first { $0.hasPrefix("in=") }?.dropFirst(3)
    return (try name.map { try GroupName(String($0)) }, words.filter { !$0.hasPrefix("in=") })
  }

  private static func window(_ text: String) throws -> DateWindow {
    let dates = try text.split(separator: "-").map { try time($0) }
    return try DateWindow(start: dates[0], end: dates.count == 2 ? dates[1] : nil)
  }

  /// Entries as `9:30=5/30m` (score and duration), `9:30=5` or `9:30=-` (no relevance), each followed by `!9:50` if it
  /// expires; `reload=end`, `reload=never` or `reload=9:30`; `for=large` for a timeline made for one family;
  /// `fallback=text`; and `in=bills` for a group.
  private func timeline(_ words: ArraySlice<String>) throws -> Timeline {
    var (entries, policy): ([TimelineEntry], TimelineReloadPolicy) = ([], .never)
    var (family, fallback): (WidgetFamily?, EntryContent?)
    let (group, words) = try Self.group(words)
    for word in words {
      let parts = word.split(separator: "=").map(String.init)
      if parts[0] == "fallback" {
        fallback = try EntryContent(mediaType: "text/plain", bytes: Array(parts[1].utf8))
        continue
      }
      if parts[0] == "reload" {
        policy = parts[1] == "end" ? .atEnd : parts[1] == "never" ? .never : .after(try Self.time(parts[1]))
        continue
      }
      if parts[0] == "for" {
        family = try Self.family(parts.dropFirst())
        continue
      }
      entries.append(try Self.entry(at: parts[0], parts[1].split(separator: "!").map(String.init)))
    }
    return Timeline(submitted: entries, policy: policy, family: family, fallback: fallback, group: group)
  }

  private static func entry(at date: String, _ parts: [String]) throws -> TimelineEntry {
    var relevance: TimelineEntryRelevance?
    if parts[0] != "-" {
      let numbers = parts[0].split(separator: "/").map(String.init)
      let score = try #require(Double(numbers[0]))
      relevance = try TimelineEntryRelevance(
        score: score, duration: numbers.count == 2 ? try span(numbers[1]) : .zero)
    }
    let expiry = try parts.dropFirst().first.map { try time($0) }
    return try TimelineEntry(date: time(date), relevance: relevance, details: EntryDetails(expiry: expiry))
  }

  private func policy(_ words: ArraySlice<String>) throws -> Policy {
    var policy = device.policy
    for word in words {
      let parts = word.split(separator: "=").map(String.init)
      switch parts[0] {
      case "dwell": policy.dwell = try Self.span(parts[1])
      case "rest": policy.restingFront = try Self.span(parts[1])
      case "hold": policy.hold = try Self.span(parts[1])
      case "memory": policy.scoreRetention = try Self.span(parts[1])
      case "spacing": policy.reloadSpacing = try Self.span(parts[1])
      case "suggestions": policy.suggestionCountMax = try #require(Int(parts[1]))
      case "appsuggestions": policy.appSuggestionCountMax = try #require(Int(parts[1]))
      case "rotations": policy.rotationCountMax = try #require(Int(parts[1]))
      case "reloads":
        let range = try parts[1].split(separator: "-").map { try #require(Int($0)) }
        (policy.reloadCountMin, policy.reloadCountMax) = (range[0], range[1])
      case "margin": policy.margin = try #require(Double(parts[1]))
      case "threshold": policy.threshold = try #require(Double(parts[1]))
      default: Issue.record("unknown policy field: \(word)")
      }
    }
    return policy
  }
}
