import ArgumentParser
import MarqueeClient
import MarqueeModel
import MarqueeSimulator
import MarqueeTerminal
import MarqueeWire

/// `marquee blocked`
struct BlockedCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "blocked",
    abstract: "List the widgets and apps whose suggestions the user has blocked or snoozed.",
    discussion: """
      Lift a block or a snooze with "report-interaction blocked WIDGET off", or that of an app with \
      "report-interaction blocked-app APP off".
      """)

  @Argument(help: "The device; required if there are several.", completion: .deviceNames)
  var device: String?

  @OptionGroup var server: ServerOptions

  func run() async throws {
    try await server.run { session in
      let device = try await NameDirectory.fetch(device: self.device, .devices, session).device
      let answer = try await session.display.blockedSuggestions(on: device)
      let clock = try DeviceClock(answer.timeZone.text)
      session.write(json: answer.json(on: device, clock), lines: answer.lines(clock))
    }
  }
}

extension ListBlockedSuggestionsResponse {
  fileprivate func lines(_ clock: DeviceClock) -> [String] {
    guard !blocked.isEmpty else { return ["Nothing is blocked."] }
    var table = Table(.init("WIDGET OR APP"), .init("TITLE"), .init("BLOCKED"))
    for (index, suggestion) in blocked.enumerated() {
      let end = suggestion.until.map { clock.shortly($0, now: at) } ?? "lifted"
      table.append(suggestion.text, display(at: index).text, "until \(end)")
    }
    return table.lines
  }

  fileprivate func json(on device: DeviceID, _ clock: DeviceClock) -> JSONValue {
    .object(
      .time("at", at, clock) + [
        .init("device", .string(device.text)), .init("time_zone", .string(timeZone.text)),
        .init("blocked", .array(blocked.indices.map { blocked[$0].json(clock, display(at: $0)) })),
      ])
  }

  /// Returns the representation of a widget or app; without one from the server, that without its app's texts.
  private func display(at index: Int) -> ActionDisplay {
    guard !displays.indices.contains(index) else { return displays[index] }
    return switch blocked[index].subject {
    case .widget(let widget): ActionDisplay(of: widget)
    case .app(let app): ActionDisplay(title: app.lastComponent)
    }
  }
}

extension BlockedSuggestion {
  /// The widget or app in the form that arguments accept.
  fileprivate var text: String {
    switch subject {
    case .widget(let widget): widget.exactText
    case .app(let app): app.text
    }
  }

  fileprivate func json(_ clock: DeviceClock, _ display: ActionDisplay) -> JSONValue {
    let (widget, app): (JSONValue, JSONValue) =
      switch subject {
      case .widget(let widget): (.string(widget.exactText), .null)
      case .app(let app): (.null, .string(app.text))
      }
    return .object(
      [.init("widget", widget), .init("app", app), .init("display", display.json)] + .time("until", until, clock))
  }
}
