import MarqueeModel
import OrderedCollections

/// What a device knows beside timelines and stacks: what apps set, what the person wants, and what was learned.
struct SuggestionBook: Equatable, Sendable {
  /// Widgets whose engagement is remembered, at most; beyond it, the one first brought is forgotten.
  static let engagementCountMax = 1_024

  var intentTypes: OrderedDictionary<AppID, [IntentTypeDescriptor]> = [:]
  var shortcuts: OrderedDictionary<AppID, [RelevantShortcut]> = [:]
  var intents: OrderedDictionary<AppID, [RelevantIntent]> = [:]
  /// When the time was found for those of an app's present shortcuts that leave it to the system (rule S4).
  var useFound: OrderedDictionary<AppID, Instant> = [:]
  /// Widgets on the Home Screen outside stacks.
  var homeWidgets: OrderedSet<Widget> = []
  var blockedWidgets: OrderedSet<Widget> = []
  var blockedApps: OrderedSet<AppID> = []
  var context = DeviceContext()
  private(set) var engagements: OrderedDictionary<Widget, Engagement> = [:]
  /// When each app's widgets were suggested.
  private(set) var insertions: OrderedDictionary<AppID, RecentInstants> = [:]

  init() {}

  mutating func record(isGood: Bool, of widget: Widget) {
    if engagements[widget] == nil, engagements.count == Self.engagementCountMax { engagements.removeFirst() }
    engagements[widget, default: Engagement()].record(isGood: isGood)
  }

  /// Forgets what the person did with the widget.
  mutating func forgetEngagement(of widget: Widget) { engagements[widget] = nil }

  mutating func recordInsertion(of app: AppID, at now: Instant) {
    insertions[app, default: RecentInstants()].record(now)
  }

  /// The spans in which the app holds each widget relevant, in the order in which it named them; none where only
  /// other providers, or no providers, say when.
  func spans(of app: AppID, pointLength: TimeSpan) -> OrderedDictionary<Widget, [(start: Instant, end: Instant)]> {
    var spans: OrderedDictionary<Widget, [(start: Instant, end: Instant)]> = [:]
    func add(_ kind: KindName, _ intent: Intent?, _ windows: [DateWindow]) {
      let widget = Widget(kind: WidgetKind(app: app, name: kind), configuration: intent)
      spans[widget, default: []] += windows.map { ($0.start, $0.end(pointLength: pointLength)) }
    }
    for shortcut in shortcuts[app] ?? [] {
      guard let kind = shortcut.kind else { continue }
      add(kind, shortcut.intent, shortcut.windows)
      guard shortcut.providers.isEmpty, let found = useFound[app] else { continue }
      let widget = Widget(kind: WidgetKind(app: app, name: kind), configuration: shortcut.intent)
      spans[widget, default: []].append((found, found.advanced(by: pointLength)))
    }
    for intent in intents[app] ?? [] { add(intent.kind, intent.intent, [intent.window]) }
    return spans
  }

  /// The apps with a shortcut that waits until the person is likely to use the app (rule S4).
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

  /// The app's shortcuts that name the widget.
  func shortcuts(naming widget: Widget) -> [RelevantShortcut] {
    (shortcuts[widget.kind.app] ?? []).filter { $0.kind == widget.kind.name && $0.intent == widget.configuration }
  }
}

extension SuggestionBook: ByteCodable {
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
    for (widget, engagement) in engagements {
      writer.write(widget)
      writer.write(engagement)
    }
    writer.write(insertions.count)
    for (app, instants) in insertions {
      writer.write(app)
      writer.write(instants)
    }
  }

  init(from reader: inout ByteReader) throws(CorruptBytes) {
    for descriptor in try reader.readArray(IntentTypeDescriptor.self) {
      intentTypes[descriptor.app, default: []].append(descriptor)
    }
    shortcuts = try reader.readDictionary { (reader) throws(CorruptBytes) in try reader.readArray() }
    intents = try reader.readDictionary { (reader) throws(CorruptBytes) in try reader.readArray() }
    homeWidgets = try reader.readSet()
    blockedWidgets = try reader.readSet()
    blockedApps = try reader.readSet()
    context = try reader.read()
    engagements = try reader.readDictionary { (reader) throws(CorruptBytes) in try reader.read() }
    insertions = try reader.readDictionary { (reader) throws(CorruptBytes) in try reader.read() }
  }
}

extension SuggestionBook {
  /// Writes what came with form version 4 of devices.
  func writeUse(to writer: inout ByteWriter) {
    writer.write(useFound.count)
    for (app, instant) in useFound {
      writer.write(app)
      writer.write(instant)
    }
  }

  mutating func readUse(from reader: inout ByteReader) throws(CorruptBytes) {
    useFound = try reader.readDictionary { (reader) throws(CorruptBytes) in try reader.read() }
  }
}

extension ByteReader {
  /// Reads values under keys, none of which comes twice.
  mutating func readDictionary<Key: ByteCodable & Hashable, Value>(
    _ readValue: (inout ByteReader) throws(CorruptBytes) -> Value
  ) throws(CorruptBytes) -> OrderedDictionary<Key, Value> {
    var values: OrderedDictionary<Key, Value> = [:]
    for _ in 0..<(try readCount()) {
      let key = try read(Key.self)
      guard values.updateValue(try readValue(&self), forKey: key) == nil else {
        throw corrupt("a key that comes twice")
      }
    }
    return values
  }

  /// Reads values, none of which comes twice.
  fileprivate mutating func readSet<Value: ByteCodable & Hashable>() throws(CorruptBytes) -> OrderedSet<Value> {
    let values = try readArray(Value.self)
    let set = OrderedSet(values)
    guard set.count == values.count else { throw corrupt("a value that comes twice") }
    return set
  }
}
