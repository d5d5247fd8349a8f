import ArgumentParser
import MarqueeClient
import MarqueeModel
import MarqueeTerminal
import MarqueeWire

/// `marquee focus-filter`
struct FocusFilterCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "focus-filter",
    abstract: "Set, list or remove the values with which apps perform Focus filters, as the user would.",
    subcommands: [Set.self, List.self, Remove.self])

  /// `marquee focus-filter set`
  struct Set: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "set", abstract: "Set an app's Focus filter for a Focus.",
      discussion: """
        Replaces the filter of the same intent type for the Focus. A parameter without a value has its default. The \
        app performs the filter when the Focus begins, and at once if it is on: see "report-interaction focus".
        """)

    @Argument(help: "The device.", completion: .deviceNames)
    var device: String

    @Argument(help: "The Focus, such as work.", transform: Arguments.focus)
    var focus: FocusID

    @Argument(help: ActivityText.help)
    var filter: String

    @OptionGroup var server: ServerOptions

    func run() async throws {
      let activity = try ActivityText(filter)
      let intent = try activity.intent()
      try await server.run { session in
        let names = try await NameDirectory.fetch(device: self.device, .devices, session)
        let (app, device) = (try await activity.app(on: names, session), names.device)
        try await session.display.setFocusFilter(intent, of: app, in: focus, on: device)
        let text = "\(app)/\(intent.exactText)"
        session.write(
          json: .object([
            .init("device", .string(device.text)), .init("focus", .string(focus.text)), .init("filter", .string(text)),
          ]),
          lines: ["In Focus \(focus): \(text)."])
      }
    }
  }

  /// `marquee focus-filter list`
  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "List the Focus filters of a device.")

    @Argument(help: "The device; required if there are several.", completion: .deviceNames)
    var device: String?

    @OptionGroup var server: ServerOptions

    func run() async throws {
      try await server.run { session in
        let device = try await NameDirectory.fetch(device: self.device, .devices, session).device
        let answer = try await session.display.focusFilters(on: device)
        session.write(json: answer.json(on: device), lines: answer.lines)
      }
    }
  }

  /// `marquee focus-filter remove`
  struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "remove", abstract: "Remove an app's Focus filter for a Focus.",
      discussion: "If the Focus is on, the app performs the intent with its default values.")

    @Argument(help: "The device.", completion: .deviceNames)
    var device: String

    @Argument(help: "The Focus.", transform: Arguments.focus)
    var focus: FocusID

    @Argument(help: "The app's bundle identifier.", transform: Arguments.app)
    var app: AppID

    @Argument(help: "The intent type's name.", transform: Arguments.intentType)
    var type: IntentType

    @OptionGroup var server: ServerOptions

    func run() async throws {
      try await server.run { session in
        let device = try await NameDirectory.fetch(device: self.device, .devices, session).device
        let key = FocusFilter.Key(app: app, intentType: type, focus: focus)
        let isRemoved = try await session.display.removeFocusFilter(key, on: device)
        session.write(
          json: .object([
            .init("device", .string(device.text)), .init("focus", .string(focus.text)),
            .init("app", .string(app.text)), .init("intent_type", .string(type.text)),
            .init("removed", .boolean(isRemoved)),
          ]),
          lines: [isRemoved ? "Removed \(app)/\(type) from Focus \(focus)." : "There is no such filter."])
      }
    }
  }
}

extension ListFocusFiltersResponse {
  fileprivate var lines: [String] {
    guard !filters.isEmpty else { return ["No app has a Focus filter."] }
    var table = Table(.init(" "), .init("FOCUS"), .init("FILTER"), .init("TITLE"))
    for (index, filter) in filters.enumerated() {
      table.append(
        filter.isInForce ? "▸" : "", filter.focus.text, filter.exactText, display(at: index)?.text ?? "")
    }
    return table.lines
  }

  fileprivate func json(on device: DeviceID) -> JSONValue {
    .object([
      .init("device", .string(device.text)),
      .init("filters", .array(filters.indices.map { filters[$0].json(display(at: $0)) })),
    ])
  }

  /// Returns the representation of a filter; `nil` if the server sent none.
  private func display(at index: Int) -> ActionDisplay? { displays.indices.contains(index) ? displays[index] : nil }
}

extension FocusFilter {
  /// The app and the intent in the form that arguments accept.
  var exactText: String { "\(app)/\(intent.exactText)" }

  /// Returns the filter as JSON.
  func json(_ display: ActionDisplay? = nil) -> JSONValue {
    .object([
      .init("focus", .string(focus.text)), .init("filter", .string(exactText)), .init("in_force", .boolean(isInForce)),
      .init("display", display?.json ?? .null),
    ])
  }
}
