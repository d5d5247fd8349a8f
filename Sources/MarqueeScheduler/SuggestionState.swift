import MarqueeModel
import OrderedCollections

/// The spans of shortcuts and relevant intents, by the widgets that they name.
typealias NamedSpans = OrderedDictionary<Widget, [RelevantSpan]>

/// App registrations, user settings, context and engagement: the state of a device other than timelines and stacks.
struct SuggestionState: Equatable, Sendable {
  /// The maximum number of instances with engagement. Beyond it, the oldest entry is evicted.
  static let engagementCountMax = 1_024

  var intentTypes: OrderedDictionary<AppID, [IntentTypeDescriptor]> = [:]
  var shortcuts: OrderedDictionary<AppID, [RelevantShortcut]> = [:]
  var intents: OrderedDictionary<AppID, [RelevantIntent]> = [:]
  /// The likely time of use that was determined for those of an app's shortcuts that have no providers (rule S4).
  var useFound: OrderedDictionary<AppID, Instant> = [:]
  /// The instances on the Home Screen outside stacks.
  var homeWidgets: OrderedSet<WidgetInstance> = []
  var blockedWidgets: OrderedSet<Widget> = []
  var blockedApps: OrderedSet<AppID> = []
  /// The ends of the snoozes of widgets, all in the future. A widget is blocked or snoozed, not both.
  var snoozedWidgets: OrderedDictionary<Widget, Instant> = [:]
  /// The ends of the snoozes of apps, likewise.
  var snoozedApps: OrderedDictionary<AppID, Instant> = [:]
  var context = DeviceContext()
  private(set) var engagements: OrderedDictionary<WidgetInstance, Engagement> = [:]
  /// The suggestions of each app in the last 24 hours.
  private(set) var insertions: OrderedDictionary<AppID, SlidingWindowLimiter> = [:]

  init() {}

  mutating func record(isGood: Bool, of instance: WidgetInstance) {
    if engagements[instance] == nil, engagements.count == Self.engagementCountMax { engagements.removeFirst() }
    engagements[instance, default: Engagement()].record(isGood: isGood)
  }

  /// Removes the engagement of the instance.
  mutating func removeEngagement(of instance: WidgetInstance) { engagements[instance] = nil }

  /// Replaces the provisional families of instances outside stacks and of engagements, in a state of an earlier format.
  mutating func setFamilies(_ family: (Widget) -> WidgetFamily) {
    homeWidgets = OrderedSet(homeWidgets.map { WidgetInstance($0.widget, in: family($0.widget)) })
    engagements = OrderedDictionary(
      uniqueKeysWithValues: engagements.map { (WidgetInstance($0.key.widget, in: family($0.key.widget)), $0.value) })
  }

  /// Removes the engagement and the blocks of the widgets for which `isRemoved` returns `true`.
  mutating func removeUserState(where isRemoved: (Widget) -> Bool) {
    engagements.removeAll { isRemoved($0.key.widget) }
    blockedWidgets.removeAll(where: isRemoved)
    snoozedWidgets.removeAll { isRemoved($0.key) }
  }

  /// Removes everything of the app but its shortcuts and relevant intents.
  mutating func removeEverything(of app: AppID) {
    removeUserState { $0.kind.app == app }
    (intentTypes[app], insertions[app], snoozedApps[app]) = (nil, nil, nil)
    blockedApps.remove(app)
  }

  /// Whether the user has blocked or used the app or one of its widgets, or was shown suggestions of the app.
  func hasUserState(of app: AppID) -> Bool {
    isBlocked(app) || insertions[app] != nil || engagements.keys.contains { $0.widget.kind.app == app }
      || blockedWidgets.contains { $0.kind.app == app } || snoozedWidgets.keys.contains { $0.kind.app == app }
  }

  mutating func recordInsertion(of app: AppID, at now: Instant) {
    insertions[app, default: SlidingWindowLimiter()].record(now)
  }

  /// Removes suggestions later than `instant` from the budgets.
  mutating func removeInsertions(after instant: Instant) {
    for app in insertions.keys { insertions[app]?.removeAll(after: instant) }
  }

  /// Returns the spans in which the app makes each widget relevant, in the order in which it named the widgets.
  ///
  /// A widget has no spans if its shortcuts have only other providers, or none and no likely time of use.
  func spans(of app: AppID, pointLength: TimeSpan) -> NamedSpans {
    var spans: NamedSpans = [:]
    func add(_ kind: KindName, _ intent: Intent?, _ windows: [DateWindow], _ group: GroupName?) {
      let widget = Widget(kind: WidgetKind(app: app, name: kind), configuration: intent)
      spans[widget, default: []] += windows.map {
        RelevantSpan(start: $0.start, end: $0.end(pointLength: pointLength), group: group)
      }
    }
    for shortcut in shortcuts[app] ?? [] {
      guard let kind = shortcut.kind else { continue }
      add(kind, shortcut.intent, shortcut.windows, shortcut.group)
      guard shortcut.providers.isEmpty, let found = useFound[app] else { continue }
      let widget = Widget(kind: WidgetKind(app: app, name: kind), configuration: shortcut.intent)
      let span = RelevantSpan(start: found, end: found.advanced(by: pointLength), group: shortcut.group)
      spans[widget, default: []].append(span)
    }
    for intent in intents[app] ?? [] { add(intent.kind, intent.intent, [intent.window], intent.group) }
    return spans
  }

  /// Returns the apps with a shortcut that waits until the app is likely to be used (rule S4).
  static func appsAwaitingUse(
    _ shortcuts: OrderedDictionary<AppID, [RelevantShortcut]>, _ useFound: OrderedDictionary<AppID, Instant>
  ) -> Set<AppID> {
    var waiting: Set<AppID> = []
    for index in shortcuts.keys.indices where useFound[shortcuts.keys[index]] == nil {
      let isWaiting = shortcuts.values[index].contains { $0.kind != nil && $0.providers.isEmpty }
      if isWaiting { waiting.insert(shortcuts.keys[index]) }
    }
    return waiting
  }

  /// Returns the app's shortcuts that name the widget.
  func shortcuts(naming widget: Widget) -> [RelevantShortcut] {
    (shortcuts[widget.kind.app] ?? []).filter { $0.kind == widget.kind.name && $0.intent == widget.configuration }
  }
}

// MARK: Blocks

extension SuggestionState {
  /// The number of widgets that are blocked or snoozed.
  var blockedWidgetCount: Int { blockedWidgets.count + snoozedWidgets.count }

  /// The number of apps that are blocked or snoozed.
  var blockedAppCount: Int { blockedApps.count + snoozedApps.count }

  /// Whether the widget itself is blocked or snoozed.
  func isBlocked(_ widget: Widget) -> Bool { blockedWidgets.contains(widget) || snoozedWidgets[widget] != nil }

  /// Whether the app is blocked or snoozed.
  func isBlocked(_ app: AppID) -> Bool { blockedApps.contains(app) || snoozedApps[app] != nil }

  /// When the next snooze ends, or `nil` if nothing is snoozed.
  var nextSnoozeEnd: Instant? {
    let (widget, app) = (snoozedWidgets.values.min(), snoozedApps.values.min())
    guard let widget, let app else { return widget ?? app }
    return min(widget, app)
  }

  /// Removes the snoozes that have ended.
  mutating func endSnoozes(at now: Instant) {
    snoozedWidgets.removeAll { $0.value <= now }
    snoozedApps.removeAll { $0.value <= now }
  }

  /// Moves the ends of snoozes.
  mutating func moveSnoozes(by span: TimeSpan) {
    for (widget, end) in snoozedWidgets { snoozedWidgets[widget] = end.advanced(by: span) }
    for (app, end) in snoozedApps { snoozedApps[app] = end.advanced(by: span) }
  }
}

// MARK: Encoding

/// The encoding in device format version 14: version 10 added the families, and version 14 the texts of intent types.
extension SuggestionState {
  func write(to writer: inout ByteWriter) {
    writer.write(Array(intentTypes.values.joined()))
    writer.write(shortcuts.count)
    for (app, set) in shortcuts {
      writer.write(app)
      writer.write(set)
    }
    writer.write(intents.count)
    for (app, set) in intents {
      writer.write(app)
      writer.write(set)
    }
    writer.write(Array(homeWidgets))
    writer.write(Array(blockedWidgets))
    writer.write(Array(blockedApps))
    writer.write(context)
    writer.write(engagements.count)
    for (instance, engagement) in engagements {
      writer.write(instance)
      writer.write(engagement)
    }
    writer.write(insertions.count)
    for (app, instants) in insertions {
      writer.write(app)
      writer.write(instants)
    }
  }

  /// Decodes a state.
  ///
  /// - Parameters:
  ///   - hasFamilies: Whether the encoding has families. Without them, the families are provisional.
  ///   - hasTexts: Whether the encoding has the texts of intent types.
  init(from reader: inout ByteReader, hasFamilies: Bool, hasTexts: Bool) throws(BinaryDecodingError) {
    let descriptors = hasTexts ? try reader.readArray() : try IntentTypeDescriptor.array(v1: &reader)
    for descriptor in descriptors {
      intentTypes[descriptor.app, default: []].append(descriptor)
    }
    shortcuts = try reader.readDictionary { (reader) throws(BinaryDecodingError) in try reader.readArray() }
    intents = try reader.readDictionary { (reader) throws(BinaryDecodingError) in try reader.readArray() }
    homeWidgets = hasFamilies ? try reader.readSet() : Self.provisional(try reader.readSet())
    blockedWidgets = try reader.readSet()
    blockedApps = try reader.readSet()
    context = try reader.read()
    engagements =
      hasFamilies
      ? try reader.readDictionary { (reader) throws(BinaryDecodingError) in try reader.read() }
      : Self.provisional(try reader.readDictionary { (reader) throws(BinaryDecodingError) in try reader.read() })
    insertions = try reader.readDictionary { (reader) throws(BinaryDecodingError) in try reader.read() }
  }
}

extension SuggestionState {
  private static func provisional(_ widgets: OrderedSet<Widget>) -> OrderedSet<WidgetInstance> {
    OrderedSet(widgets.map { WidgetInstance($0, in: .systemSmall) })
  }

  private static func provisional(
    _ engagements: OrderedDictionary<Widget, Engagement>
  ) -> OrderedDictionary<WidgetInstance, Engagement> {
    OrderedDictionary(
      uniqueKeysWithValues: engagements.map { (WidgetInstance($0.key, in: .systemSmall), $0.value) })
  }

  /// Encodes what device format version 4 added.
  func writeUse(to writer: inout ByteWriter) {
    writer.write(useFound.count)
    for (app, instant) in useFound {
      writer.write(app)
      writer.write(instant)
    }
  }

  mutating func readUse(from reader: inout ByteReader) throws(BinaryDecodingError) {
    useFound = try reader.readDictionary { (reader) throws(BinaryDecodingError) in try reader.read() }
  }

  /// Encodes the snoozes, which device format version 8 added.
  func writeSnoozes(to writer: inout ByteWriter) {
    writer.write(snoozedWidgets.count)
    for (widget, end) in snoozedWidgets {
      writer.write(widget)
      writer.write(end)
    }
    writer.write(snoozedApps.count)
    for (app, end) in snoozedApps {
      writer.write(app)
      writer.write(end)
    }
  }

  mutating func readSnoozes(from reader: inout ByteReader, at now: Instant) throws(BinaryDecodingError) {
    snoozedWidgets = try reader.readDictionary { (reader) throws(BinaryDecodingError) in try reader.read() }
    snoozedApps = try reader.readDictionary { (reader) throws(BinaryDecodingError) in try reader.read() }
    guard nextSnoozeEnd.map({ $0 > now }) ?? true, blockedWidgets.isDisjoint(with: snoozedWidgets.keys),
      blockedApps.isDisjoint(with: snoozedApps.keys)
    else { throw reader.corrupt("snooze that has ended, or of a blocked widget or app") }
  }
}

extension ByteReader {
  /// Decodes a dictionary, rejecting duplicate keys.
  mutating func readDictionary<Key: BinaryCodable & Hashable, Value>(
    _ readValue: (inout ByteReader) throws(BinaryDecodingError) -> Value
  ) throws(BinaryDecodingError) -> OrderedDictionary<Key, Value> {
    var values: OrderedDictionary<Key, Value> = [:]
    for _ in 0..<(try readCount()) {
      let key = try read(Key.self)
      guard values.updateValue(try readValue(&self), forKey: key) == nil else {
        throw corrupt("duplicate key")
      }
    }
    return values
  }

  /// Decodes a set, rejecting duplicate values.
  fileprivate mutating func readSet<Value: BinaryCodable & Hashable>() throws(BinaryDecodingError) -> OrderedSet<Value>
  {
    let values = try readArray(Value.self)
    let set = OrderedSet(values)
    guard set.count == values.count else { throw corrupt("duplicate value") }
    return set
  }
}
