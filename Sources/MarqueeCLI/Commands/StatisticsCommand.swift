import ArgumentParser
import MarqueeClient
import MarqueeModel
import MarqueeRPC
import MarqueeSimulator
import MarqueeTerminal
import MarqueeWire

/// `marquee statistics`
struct StatisticsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "statistics",
    abstract: "List how often and for how long widgets were shown, and how the user reacted to them.",
    discussion: """
      A stack is visible unless a display has reported that it is hidden. Widgets outside stacks are not counted. The \
      counts of a widget end when the device no longer has the widget in that family: for one that is only suggested, \
      with the suggestion, if it has no timeline. WORTH is the probability \
      that the user accepts the widget when the engine brings it to the front.
      """)

  @Argument(help: "The device; required if there are several.", completion: .deviceNames)
  var device: String?

  @Option(help: "Only this app.", completion: .appNames, transform: Arguments.app)
  var app: AppID?

  @Option(help: "Only this widget: APP/KIND(PARAMETER=VALUE, …), or an unambiguous short form.")
  var widget: String?

  @OptionGroup var server: ServerOptions

  func validate() throws {
    guard app == nil || widget == nil else { throw ValidationError("--app and --widget exclude each other") }
  }

  func run() async throws {
    try await server.run { session in
      let device = try await NameDirectory.fetch(device: self.device, .devices, session).device
      let widget: Widget? =
        if let name = self.widget { try await session.widget(name, on: device.text).widget } else { nil }
      var answer = try await statistics(on: device, widget, session)
      if let widget { answer.keepOnly(widget) }
      let clock = try DeviceClock(answer.timeZone.text)
      session.write(json: answer.json(on: device, clock), lines: answer.lines(clock, showsApps: widget == nil))
    }
  }

  /// Returns the statistics of all instances, fetching as many pages as needed.
  private func statistics(
    on device: DeviceID, _ widget: Widget?, _ session: Session
  ) async throws -> ListStatisticsResponse {
    let (app, countMax) = (widget?.kind.app ?? app, ListStatisticsRequest.countMax)
    var all: ListStatisticsResponse
    do {
      all = try await session.operators.statistics(on: device, of: app, count: countMax)
    } catch let status as RPCStatus where status.code == .notFound {
      let known = try await session.operators.statistics(on: device, count: countMax).apps.map(\.app.text)
      throw CommandFailure.notFound("app", app?.text ?? "", known: known)
    }
    while all.hasMore {
      let count = all.apps.reduce(0) { $0 + $1.instances.count }
      let next = try await session.operators.statistics(on: device, of: app, skipping: count, count: countMax)
      all.append(next)
    }
    return all
  }
}

extension ListStatisticsResponse {
  /// Appends the next page, whose first app can be the last one of this page.
  fileprivate mutating func append(_ next: ListStatisticsResponse) {
    for app in next.apps {
      if apps.last?.app == app.app {
        let listed = apps[apps.count - 1].instances
        apps[apps.count - 1] = AppStatistics(app: app.app, total: app.total, instances: listed + app.instances)
      } else {
        apps.append(app)
      }
    }
    hasMore = next.hasMore && !next.apps.isEmpty
  }

  fileprivate mutating func keepOnly(_ widget: Widget) {
    for index in apps.indices { apps[index].instances.removeAll { $0.widget != widget } }
  }

  fileprivate func lines(_ clock: DeviceClock, showsApps: Bool) -> [String] {
    guard apps.contains(where: { !$0.instances.isEmpty }) else { return ["Nothing was counted."] }
    var table = Table(
      .init("WIDGET"), .init("TITLE"), .init("FAMILY"), .init("SINCE"), .init("SHOWN", .right),
      .init("IN FRONT", .right), .init("ROTATED TO", .right), .init("TAPPED", .right), .init("SCROLLED AWAY", .right),
      .init("SUGGESTED", .right), .init("KEPT", .right), .init("DISMISSED", .right), .init("WORTH", .right))
    func append(_ name: String, _ title: String, _ family: String, _ numbers: WidgetStatistics) {
      table.append(
        name, title, family, numbers.since.map { clock.shortly($0, now: at) } ?? "", "\(numbers.shownCount)",
        numbers.frontTime.wholeSeconds.text, "\(numbers.rotationCount)", "\(numbers.tapCount)",
        "\(numbers.scrollAwayCount)", "\(numbers.suggestionCount)", "\(numbers.keptCount)",
        "\(numbers.dismissalCount)", "\(Int((numbers.worth * 100).rounded())) %")
    }
    for app in apps {
      for instance in app.instances {
        append(instance.widget.exactText, instance.shown.text, "\(instance.family)", instance.statistics)
      }
      if showsApps { append(app.app.text, "", "all", app.total) }
    }
    return table.lines
  }

  fileprivate func json(on device: DeviceID, _ clock: DeviceClock) -> JSONValue {
    let objects = apps.map { app in
      let widgets = app.instances.map { instance in
        JSONValue.object(
          [
            .init("widget", .string(instance.widget.exactText)),
            .init("display", instance.shown.json), .init("family", .string(instance.family.description)),
          ] + instance.statistics.fields(clock))
      }
      return JSONValue.object([
        .init("app", .string(app.app.text)), .init("total", .object(app.total.fields(clock))),
        .init("widgets", .array(widgets)),
      ])
    }
    return .object(
      .time("at", at, clock) + [
        .init("device", .string(device.text)), .init("time_zone", .string(timeZone.text)),
        .init("apps", .array(objects)),
      ])
  }
}

extension InstanceStatistics {
  /// The representation of the widget; without one from the server, that without its app's texts.
  fileprivate var shown: ActionDisplay { display ?? ActionDisplay(of: widget) }
}

extension WidgetStatistics {
  fileprivate func fields(_ clock: DeviceClock) -> [JSONValue.Field] {
    .time("since", since, clock) + [
      .init("shown_count", .integer(Int64(shownCount))), .init("front_time", .number(frontTime.seconds)),
      .init("rotation_count", .integer(Int64(rotationCount))), .init("tap_count", .integer(Int64(tapCount))),
      .init("scroll_away_count", .integer(Int64(scrollAwayCount))),
      .init("suggestion_count", .integer(Int64(suggestionCount))), .init("kept_count", .integer(Int64(keptCount))),
      .init("dismissal_count", .integer(Int64(dismissalCount))), .init("worth", .number(worth)),
    ]
  }
}

extension TimeSpan {
  /// The span without the fraction of its last second.
  var wholeSeconds: TimeSpan { TimeSpan(milliseconds: milliseconds - milliseconds % 1_000) }
}
