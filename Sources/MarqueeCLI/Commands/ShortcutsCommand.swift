import ArgumentParser
import MarqueeClient
import MarqueeModel
import MarqueeRPC
import MarqueeSimulator
import MarqueeTerminal
import MarqueeWire

/// `marquee shortcuts`
struct ShortcutsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "shortcuts",
    abstract: "List the relevant shortcuts, relevant intents and intent types of a device's apps.")

  @Argument(help: "The device; required if there are several.", completion: .deviceNames)
  var device: String?

  @Option(help: "Only this app.", completion: .appNames, transform: Arguments.app)
  var app: AppID?

  @OptionGroup var server: ServerOptions

  func run() async throws {
    try await server.run { session in
      let names = try await NameDirectory.fetch(device: self.device, .widgets, session)
      let device = names.device
      let answer = try await session.shortcuts(on: names, of: app)
      let clock = try DeviceClock(answer.timeZone.text)
      session.write(json: answer.json(on: device, clock), lines: answer.lines(clock))
    }
  }
}

extension Session {
  /// Returns the relevant shortcuts, relevant intents and intent types of one app, or of all apps of a device.
  func shortcuts(on names: NameDirectory.DeviceNames, of app: AppID?) async throws -> ListShortcutsResponse {
    let device = names.device
    var answer: ListShortcutsResponse
    do {
      answer = try await operators.shortcuts(on: device, of: app)
    } catch let status as RPCStatus where status.code == .notFound {
      throw CommandFailure.notFound("app", app?.text ?? "", known: Set(names.kinds.map(\.kind.app.text)).sorted())
    }
    while answer.hasMore, let last = answer.apps.last {
      let page = try await operators.shortcuts(on: device, of: app, after: last.app)
      answer.apps += page.apps
      answer.hasMore = page.hasMore && !page.apps.isEmpty
    }
    return answer
  }
}

extension ListShortcutsResponse {
  fileprivate func lines(_ clock: DeviceClock) -> [String] {
    let isEmpty = apps.allSatisfy { $0.shortcuts.isEmpty && $0.intents.isEmpty && $0.intentTypes.isEmpty }
    guard !isEmpty else { return ["No relevant shortcuts, relevant intents or intent types."] }
    var windows = Table(
      .init("WIDGET OR INTENT"), .init("TITLE"), .init("AS"), .init("WHEN"), .init("STATE"), .init("GROUP"))
    var types = Table(
      .init("INTENT TYPE"), .init("TITLE"), .init("PARAMETERS"), .init("COMBINATIONS"), .init("REMARKS"))
    for app in apps {
      for state in app.shortcuts {
        for (index, row) in state.rows(at, clock).enumerated() {
          let name = [state.shortcut.exactText(of: app.app), state.display?.text ?? "", "\(state.shortcut.role)"]
          let shown = index == 0 ? name : name.map { _ in "" }
          let group = index == 0 ? state.shortcut.group?.text ?? "" : ""
          windows.append(shown[0], shown[1], shown[2], row.when, row.state, group)
        }
      }
      for state in app.intents {
        let widget = Widget(
          kind: WidgetKind(app: app.app, name: state.intent.kind), configuration: state.intent.intent)
        windows.append(
          widget.exactText, state.display?.text ?? "", "intent", state.window.words(at, clock),
          "\(state.window.state)", state.intent.group?.text ?? "")
      }
      for type in app.intentTypes {
        types.append(
          "\(app.app)/\(type.type)", type.title, type.parameterWords, type.combinationWords, type.remarks)
      }
    }
    let hasTypes = apps.contains { !$0.intentTypes.isEmpty }
    let hasWindows = apps.contains { !$0.shortcuts.isEmpty || !$0.intents.isEmpty }
    return (hasWindows ? windows.lines : []) + (hasWindows && hasTypes ? [""] : []) + (hasTypes ? types.lines : [])
  }

  fileprivate func json(on device: DeviceID, _ clock: DeviceClock) -> JSONValue {
    let objects = apps.map { app in
      JSONValue.object([
        .init("app", .string(app.app.text)),
        .init("shortcuts", .array(app.shortcuts.map { $0.json(of: app.app, clock) })),
        .init("relevant_intents", .array(app.intents.map { $0.json(of: app.app, clock) })),
        .init("intent_types", .array(app.intentTypes.map(\.json))),
      ])
    }
    return .object(
      .time("at", at, clock) + [
        .init("device", .string(device.text)), .init("time_zone", .string(timeZone.text)),
        .init("apps", .array(objects)),
      ])
  }
}

extension RelevantShortcut {
  /// Returns the text of the shortcut's widget or, if it names none, of its intent, or of its user activity with its
  /// title.
  func exactText(of app: AppID) -> String {
    guard let kind else {
      let activity = exactActivity.map { text in userActivity?.title.map { "\(text) \"\($0)\"" } ?? text }
      return (intent.map(\.exactText) ?? activity).map { "\(app): \($0)" } ?? "\(app)"
    }
    return Widget(kind: WidgetKind(app: app, name: kind), configuration: intent).exactText
  }

  /// The type of the user activity with the values that identify it.
  private var exactActivity: String? {
    userActivity?.listed.exactText
  }

  /// Returns the fields of the shortcut.
  func fields(of app: AppID) -> [JSONValue.Field] {
    let widget = kind.map { Widget(kind: WidgetKind(app: app, name: $0), configuration: intent) }
    return [
      .init("widget", widget.map { .string($0.exactText) } ?? .null),
      .init("intent", intent.map { .string($0.exactText) } ?? .null),
      .init("user_activity", exactActivity.map { .string($0) } ?? .null),
      .init("title", userActivity?.title.map { .string($0) } ?? .null), .init("role", .string("\(role)")),
    ]
  }
}

extension UserActivity {
  /// The exact text form of the type and the values.
  var exactText: String { Intent.exactText(type.text, userInfo) }
}

extension WindowStatus {
  fileprivate func words(_ now: Instant, _ clock: DeviceClock) -> String {
    "\(clock.shortly(start, now: now)) to \(clock.shortly(end, now: start))"
  }
}

extension AppShortcuts.ShortcutState {
  /// Returns a row for each relevance provider with its window and state, or one row if there is no provider.
  fileprivate func rows(_ now: Instant, _ clock: DeviceClock) -> [(when: String, state: String)] {
    guard !shortcut.providers.isEmpty else { return [("when the system finds best", "")] }
    var readings = windows[...]
    return shortcut.providers.map { provider in
      switch provider {
      case .date: readings.popFirst().map { ($0.words(now, clock), "\($0.state)") } ?? ("", "")
      case .location(let region):
        ("within \(TimelineGraph.label(region.radius)) m of \(IntentValue.place(region.center))", "watch face")
      case .dailyRoutine(let situation): (situation.words, "watch face")
      case .other: ("of an unknown type", "watch face")
      }
    }
  }

  fileprivate func json(of app: AppID, _ clock: DeviceClock) -> JSONValue {
    var readings = windows[...]
    let providers = shortcut.providers.map { provider -> JSONValue in
      let window: WindowStatus? = if case .date = provider { readings.popFirst() } else { nil }
      return provider.json(window, clock)
    }
    return .object(
      shortcut.fields(of: app) + [
        .init("providers", .array(providers)), .init("group", shortcut.group.map { .string($0.text) } ?? .null),
        .init("display", display?.json ?? .null),
      ])
  }
}

extension RelevanceProvider {
  fileprivate func json(_ window: WindowStatus?, _ clock: DeviceClock) -> JSONValue {
    var (name, situation): (String, JSONValue) = ("other", .null)
    var region: PlaceRegion?
    switch self {
    case .date: name = "date"
    case .location(let found): (name, region) = ("location", found)
    case .dailyRoutine(let found): (name, situation) = ("routine", .string("\(found)"))
    case .other: break
    }
    return .object(
      [.init("provider", .string(name))] + .time("start", window?.start, clock) + .time("end", window?.end, clock) + [
        .init("state", window.map { .string("\($0.state)") } ?? .null), .init("situation", situation),
        .init("latitude", region.map { .number($0.center.latitude) } ?? .null),
        .init("longitude", region.map { .number($0.center.longitude) } ?? .null),
        .init("radius", region.map { .number($0.radius) } ?? .null),
      ])
  }
}

extension AppShortcuts.RelevantIntentState {
  fileprivate func json(of app: AppID, _ clock: DeviceClock) -> JSONValue {
    let widget = Widget(kind: WidgetKind(app: app, name: intent.kind), configuration: intent.intent)
    var fields: [JSONValue.Field] = [
      .init("widget", .string(widget.exactText)), .init("intent", .string(intent.intent.exactText)),
    ]
    fields += .time("start", window.start, clock) + .time("end", window.end, clock)
    fields += [
      .init("state", .string("\(window.state)")), .init("group", intent.group.map { .string($0.text) } ?? .null),
      .init("display", display?.json ?? .null),
    ]
    return .object(fields)
  }
}

extension IntentTypeDescriptor {
  fileprivate var parameterWords: String {
    parameters.map { "\($0.name): " + ($0.isArray ? "[\($0.type)]" : "\($0.type)") }.joined(separator: ", ")
  }

  fileprivate var combinationWords: String {
    let texts = combinations.map { combination in
      let names = combination.parameters.map(\.text).joined(separator: ", ")
      return "(\(names))" + (combination.isBackground ? " background" : "")
    }
    return texts.joined(separator: ", ")
  }

  /// The flags that keep the type from a use, and that of Focus filters.
  fileprivate var remarks: String {
    let remarks = [
      isEligibleForWidgets ? nil : "not for widgets", isEligibleForSuggestions ? nil : "not for suggestions",
      isDiscoverable ? nil : "not discoverable: on no surface", isFocusFilter ? "Focus filter" : nil,
    ]
    return remarks.compactMap(\.self).joined(separator: ", ")
  }

  fileprivate var json: JSONValue {
    .object([
      .init("type", .string(type.text)), .init("title", .string(title)),
      .init("description", .string(descriptionText)),
      .init(
        "parameters",
        .array(
          parameters.map { parameter in
            .object([
              .init("name", .string(parameter.name.text)), .init("type", .string("\(parameter.type)")),
              .init("array", .boolean(parameter.isArray)),
              .init("find_description", .string(parameter.findDescription)),
              .init(
                "cases",
                .array(
                  parameter.caseTitles.map {
                    .object([.init("case", .string($0.name)), .init("title", .string($0.title))])
                  })),
            ])
          })),
      .init(
        "combinations",
        .array(
          combinations.map { combination in
            .object(
              [
                .init("parameters", .array(combination.parameters.map { .string($0.text) })),
                .init("background", .boolean(combination.isBackground)),
              ] + combination.texts.fields)
          })),
      .init("for_widgets", .boolean(isEligibleForWidgets)),
      .init("for_suggestions", .boolean(isEligibleForSuggestions)), .init("discoverable", .boolean(isDiscoverable)),
      .init("focus_filter", .boolean(isFocusFilter)),
    ])
  }
}
