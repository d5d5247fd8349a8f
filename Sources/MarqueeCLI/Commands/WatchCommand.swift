import ArgumentParser
import MarqueeClient
import MarqueeModel
import MarqueeSimulator
import MarqueeTerminal
import MarqueeWire

/// `marquee watch`
struct WatchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch",
    abstract: "Follow a stack, or a whole device, and print every change with its time and reason, until Ctrl-C.",
    discussion: """
      With --device, all stacks of the device are followed, including future ones, and its widgets outside stacks. A \
      lost connection is reestablished; changes made in the meantime are printed then. The name of a widget for the \
      user, in the device's language, and its current entry, with the text of its card, are printed when the widget is \
      first shown, and again when they change.
      """)

  @Argument(
    help: "DEVICE/STACK, or STACK if only one device has it; required without --device.", completion: .stackNames)
  var stack: String?

  @Option(help: "Follow all stacks of this device and its widgets outside stacks.", completion: .deviceNames)
  var device: String?

  @Option(help: "The state of the screen, unlocked by default; private entries are redacted unless it is unlocked.")
  var screen: ScreenState?

  @OptionGroup var server: ServerOptions

  func validate() throws {
    guard (stack == nil) != (device == nil) else {
      throw ValidationError("either a stack or --device must be given")
    }
  }

  func run() async throws {
    try await server.run(follows: true) { session in
      let (device, stacks) = try await scope(session)
      let clock = try device.clock
      try await withInterruption {
        var (log, clock) = (WatchLog(device: device.device, clock: clock), clock)
        let display = DisplayClient(session.connection, reconnection: session.announcedReconnection)
        for try await update in try display.watch(device.device, stacks: stacks, on: screen ?? .unlocked) {
          // A zone missing from this machine's database leaves the clock unchanged.
          if let zone = update.timeZone, let new = try? DeviceClock(zone) { clock = new }
          if session.isJSON {
            session.terminal.write(update.json(clock), isPretty: false)
          } else {
            session.terminal.write(log.lines(for: update))
          }
        }
      }
    }
  }

  /// Resolves the device and the stack to follow; no stack stands for the whole device.
  private func scope(_ session: Session) async throws -> (device: NameDirectory.DeviceNames, stacks: [StackID]) {
    if let stack {
      let found = try await session.stack(stack)
      return (found.device, [found.stack])
    }
    return (try await NameDirectory.fetch(device: device, .devices, session), [])
  }
}

/// Formats display updates as lines of text, one per change since the last update.
struct WatchLog {
  private let device: DeviceID
  private var clock: DeviceClock
  /// The instant of the first update, on whose day times have no date.
  private var start: Instant?
  private var stacks: [StackID: Stack] = [:]
  private var fronts: [StackID: Widget] = [:]
  /// The widgets outside stacks, or `nil` before the first state.
  private var homeWidgets: [WidgetInstance]?
  private var entries: [WidgetInstance: CurrentEntry] = [:]
  private var labels = DisplayLabels()

  init(device: DeviceID, clock: DeviceClock) {
    self.device = device
    self.clock = clock
  }

  /// Returns the lines for an update, which are none if nothing changed, as after a reconnection.
  mutating func lines(for update: DisplayUpdate) -> [String] {
    let old = labels
    labels.apply(update)
    start = start ?? update.at
    switch update.change {
    case .state(let state):
      follow(state.timeZone)
      let gone = stacks.keys.filter { id in !state.stacks.contains { $0.id == id } }.sorted()
      let lines = gone.flatMap { removed($0, update.at) } + state.stacks.flatMap { changed($0, update.at) }
      return lines + replacedHomeWidgets(with: state.homeWidgets, update.at)
        + state.labels.flatMap { named($0, after: old, update.at) } + replacedEntries(with: state.entries, update.at)
    case .front(let change):
      fronts[change.stack] = change.widget
      let why = change.decision.map { "\(change.reason) (decision \($0))" } ?? "the user scrolled"
      return [line(update.at, change.stack, "→ \(change.widget.exactText): \(why)")]
    case .stack(let stack): return changed(stack, update.at, update.suggestion)
    case .removed(let stack): return removed(stack, update.at)
    case .entry(let current):
      entries[current.instance] = current
      return [line(update.at, current.instance, words(current, update.at))]
    case .homeWidgetAdded(let widget):
      homeWidgets?.append(widget)
      return [line(update.at, widget, "is added to the Home Screen")]
    case .homeWidgetRemoved(let widget):
      homeWidgets?.removeAll { $0 == widget }
      return [line(update.at, widget, "is removed from the Home Screen")]
    case .label(let label): return named(label, after: old, update.at)
    case .timeZone(let zone):
      follow(zone)
      return ["\(time(update.at))  \(device)  is in the time zone \(zone)"]
    // Not requested.
    case .heartbeat: return []
    }
  }

  /// Sets the clock's time zone. One that is missing from this machine's database leaves the clock unchanged.
  private mutating func follow(_ zone: TimeZoneID) {
    if let clock = try? DeviceClock(zone) { self.clock = clock }
  }

  /// Returns the line for a label, unless the widget had the name before.
  private func named(_ label: WidgetLabel, after old: DisplayLabels, _ at: Instant) -> [String] {
    guard old[label.widget]?.display.text != label.display.text else { return [] }
    return ["\(time(at))  \(device)  \(label.widget.exactText) is named \(label.display.text.visible())"]
  }

  /// Returns the lines for the widgets outside stacks: all of the first state, and the differences of a later one.
  private mutating func replacedHomeWidgets(with widgets: [WidgetInstance], _ at: Instant) -> [String] {
    let old = homeWidgets
    homeWidgets = widgets
    guard let old else { return widgets.map { line(at, $0, "is on the Home Screen") } }
    let (gone, new) = (old.filter { !widgets.contains($0) }, widgets.filter { !old.contains($0) })
    return gone.map { line(at, $0, "is removed from the Home Screen") }
      + new.map { line(at, $0, "is added to the Home Screen") }
  }

  /// Returns the lines for the entries of a state that differ from the entries before. A widget that never had an entry
  /// has no line.
  private mutating func replacedEntries(with entries: [CurrentEntry], _ at: Instant) -> [String] {
    let old = self.entries
    self.entries = Dictionary(entries.map { ($0.instance, $0) }) { _, last in last }
    return entries.filter { $0 != old[$0.instance] && ($0.entry != nil || old[$0.instance]?.entry != nil) }
      .map { line(at, $0.instance, words($0, at)) }
  }

  private func words(_ current: CurrentEntry, _ now: Instant) -> String {
    guard let entry = current.entry else { return "shows nothing" }
    let date = clock.shortly(entry.date, now: now)
    let privacy = entry.details.isPrivate ? ", which is private" : ""
    let text = entry.details.isPrivate ? nil : entry.content.cardLine
    let card = text.map { ": \($0)" } ?? ""
    guard let expiry = entry.expiry, expiry <= now else { return "shows its entry of \(date)\(privacy)\(card)" }
    let what = current.isStale ? "marks its entry as stale" : "shows its fallback"
    return "\(what): the entry of \(date)\(privacy), expired at \(clock.shortly(expiry, now: now))\(card)"
  }

  private mutating func removed(_ id: StackID, _ at: Instant) -> [String] {
    (stacks[id], fronts[id]) = (nil, nil)
    return [line(at, id, "is gone")]
  }

  private mutating func changed(
    _ stack: Stack, _ at: Instant, _ suggestion: SuggestionChange? = nil
  ) -> [String] {
    let old = stacks.updateValue(stack, forKey: stack.id)
    let oldFront = fronts[stack.id]
    fronts[stack.id] = stack.frontWidget
    guard let old else {
      return [line(at, stack.id, stack.frontWidget.map { "shows \(stack.words($0))" } ?? "is empty")]
    }
    var lines: [String] = []
    if let suggestion {
      lines.append(line(at, stack.id, suggestion.words))
    } else if old.members != stack.members {
      let members = stack.members.map(stack.words).joined(separator: ", ")
      lines.append(line(at, stack.id, stack.members.isEmpty ? "is empty" : "has \(members)"))
    }
    if old.isSmartRotateOn != stack.isSmartRotateOn {
      lines.append(line(at, stack.id, "Smart Rotate is \(stack.isSmartRotateOn ? "on" : "off")"))
    }
    if old.isWidgetSuggestionsOn != stack.isWidgetSuggestionsOn {
      lines.append(line(at, stack.id, "Widget Suggestions is \(stack.isWidgetSuggestionsOn ? "on" : "off")"))
    }
    for member in stack.members where old.settings[member] != stack.settings[member] {
      let words = stack.settings[member]?.words ?? []
      let what = words.isEmpty ? "neither pinned nor exempt from rotations" : words.joined(separator: "; ")
      lines.append(line(at, stack.id, "\(member.exactText) is \(what)"))
    }
    if let front = stack.frontWidget, front != oldFront, front != suggestion?.widget {
      lines.append(line(at, stack.id, "→ \(stack.words(front))"))
    }
    return lines
  }

  private func line(_ at: Instant, _ stack: StackID, _ text: String) -> String {
    "\(time(at))  \(device)/\(stack)  \(text)"
  }

  private func line(_ at: Instant, _ shown: WidgetInstance, _ text: String) -> String {
    "\(time(at))  \(device)  \(shown.widget.exactText) in \(shown.family) \(text)"
  }

  /// Returns the time of day, with the date from the second day on.
  private func time(_ at: Instant) -> String { clock.shortly(at, now: start ?? at) }
}

extension SuggestionChange {
  fileprivate var words: String {
    guard let decision else { return "\(widget.exactText) is no longer suggested: \(reason)" }
    return "suggests \(widget.exactText): \(reason) (decision \(decision))"
  }

  fileprivate var json: JSONValue {
    .object([
      .init("widget", .string(widget.exactText)),
      .init("decision", decision.map { .integer(Int64(clamping: $0)) } ?? .null), .init("reason", .string(reason)),
    ])
  }
}

extension DisplayUpdate {
  /// The time zone that the update sets; `nil` for other updates.
  fileprivate var timeZone: TimeZoneID? {
    switch change {
    case .state(let state): state.timeZone
    case .timeZone(let zone): zone
    default: nil
    }
  }

  fileprivate func json(_ clock: DeviceClock) -> JSONValue {
    let fields: [JSONValue.Field] =
      switch change {
      case .state(let state):
        [
          .init("update", "state"), .init("device", .string(state.device.text)),
          .init("stacks", .array(state.stacks.map { $0.json(on: state.device) })),
          .init("entries", .array(state.entries.map { .object($0.fields(clock)) })),
          .init("home_widgets", .array(state.homeWidgets.map { .object($0.fields) })),
          .init("labels", .array(state.labels.map { .object($0.fields) })),
        ]
      case .front(let front):
        [
          .init("update", "front"), .init("stack", .string(front.stack.text)),
          .init("front", .string(front.widget.exactText)), .init("front_index", .integer(Int64(front.front))),
          .init("decision", front.decision.map { .integer(Int64(clamping: $0)) } ?? .null),
          .init("reason", .string(front.reason)),
        ]
      case .stack(let stack):
        [
          .init("update", "stack"), .init("stack", .string(stack.id.text)),
          .init("members", .array(stack.members.map { .string($0.exactText) })),
          .init("front", stack.frontWidget.map { .string($0.exactText) } ?? .null),
          .init("suggestion", stack.suggestedWidget.map { .string($0.exactText) } ?? .null),
          .init("suggestion_change", suggestion?.json ?? .null),
          .init("smart_rotate", .boolean(stack.isSmartRotateOn)),
          .init("widget_suggestions", .boolean(stack.isWidgetSuggestionsOn)),
          .init("settings", stack.settingsJSON),
        ]
      case .removed(let stack): [.init("update", "removed"), .init("stack", .string(stack.text))]
      case .entry(let current): [.init("update", "entry")] + current.fields(clock)
      case .homeWidgetAdded(let widget): [.init("update", "home_widget_added")] + widget.fields
      case .homeWidgetRemoved(let widget): [.init("update", "home_widget_removed")] + widget.fields
      case .label(let label): [.init("update", "label")] + label.fields
      case .heartbeat: [.init("update", "heartbeat")]
      case .timeZone(let zone): [.init("update", "time_zone"), .init("time_zone", .string(zone.text))]
      }
    return .object(.time("at", at, clock) + fields)
  }
}

extension WidgetInstance {
  fileprivate var fields: [JSONValue.Field] {
    [.init("widget", .string(widget.exactText)), .init("family", .string(family.description))]
  }
}

extension WidgetLabel {
  fileprivate var fields: [JSONValue.Field] {
    [
      .init("widget", .string(widget.exactText)), .init("app_name", .string(appName)),
      .init("kind_name", .string(kindName)), .init("display", display.json),
      .init("accessibility_label", .string(accessibilityLabel)),
    ]
  }
}

extension CurrentEntry {
  fileprivate func fields(_ clock: DeviceClock) -> [JSONValue.Field] {
    instance.fields + .time("date", entry?.date, clock) + [
      .init("media_type", entry.map { .string($0.content.mediaType) } ?? .null),
      .init("content_size", entry.map { .integer(Int64($0.content.bytes.count)) } ?? .null),
      .init("link", entry?.details.link.map { .string($0.text) } ?? .null),
      .init("private", .boolean(entry?.details.isPrivate ?? false)), .init("stale", .boolean(isStale)),
    ] + .time("expiry", entry?.expiry, clock)
  }
}
