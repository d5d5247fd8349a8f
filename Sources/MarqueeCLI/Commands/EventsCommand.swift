import ArgumentParser
import MarqueeClient
import MarqueeModel
import MarqueeSimulator
import MarqueeTerminal

/// `marquee events`
struct EventsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "events",
    abstract: "Follow the events of an app's widgets, as the app receives them, until Ctrl-C.",
    discussion: """
      The widgets that are placed now are printed first. Taps are printed at once; everything else that happens to a \
      widget is reported at most once a minute. Impressions are reported once they have ended. A lost connection is \
      reestablished; what happens meanwhile is not reported.
      """)

  @Argument(help: "The device; required if there are several.", completion: .deviceNames)
  var device: String?

  @Option(help: "The app.", completion: .appNames, transform: Arguments.app)
  var app: AppID

  @Option(
    name: .customLong("kind"), help: "Only widgets of this kind; can be repeated.", completion: .kindNames,
    transform: Arguments.kind)
  var kinds: [KindName] = []

  @OptionGroup var server: ServerOptions

  func run() async throws {
    try await server.run(follows: true) { session in
      let names = try await NameDirectory.fetch(device: device, .devices, session)
      let provider = try ProviderClient(
        session.connection, device: names.device, app: app, kinds: [], reconnection: session.announcedReconnection)
      let events = try Arguments.check { () throws(RequestError) in try provider.widgetEvents(ofKinds: kinds) }
      try await withInterruption {
        var clocks = DeviceClocks(session)
        for try await update in events {
          switch update {
          case .attached(let kindCount):
            guard kindCount == 0 else { continue }
            session.terminal.warn("\(app) is unknown on \(names.device): it has registered no kinds yet")
          case .event(let event):
            let clock = try await clocks.clock(of: names.device)
            if session.isJSON {
              session.terminal.write(event.json(on: names.device, clock), isPretty: false)
            } else {
              session.terminal.write([event.line(on: names.device, clock)])
            }
          }
        }
      }
    }
  }
}

extension WidgetEvent {
  fileprivate func line(on device: DeviceID, _ clock: DeviceClock) -> String {
    let place = placement.stack.map { "\(device)/\($0)" } ?? "\(device)"
    let widget = "\(placement.instance.widget.exactText) in \(placement.instance.family)"
    return "\(clock.day(at)) \(clock.timeOfDay(at))  \(place)  \(widget) \(words(clock))"
  }

  private func words(_ clock: DeviceClock) -> String {
    switch change {
    case .placed: return isInitial ? "is placed" : "was placed"
    case .suggested: return "is suggested"
    case .removed: return "was removed"
    case .resized(let family): return "was resized from \(family)"
    case .visible: return "is visible"
    case .hidden: return "is hidden"
    case .impressions(let count, let visibleTime):
      return "had \(count) impression\(count == 1 ? "" : "s"), visible for \(visibleTime.wholeSeconds.text)"
    case .tapped(let entry, let link):
      let shown = entry.map { "its entry of \(clock.shortly($0, now: at))" } ?? "it showed no entry"
      return "was tapped: \(shown)" + (link.map { ", with the link \($0.text)" } ?? "")
    }
  }

  fileprivate func json(on device: DeviceID, _ clock: DeviceClock) -> JSONValue {
    .object(
      .time("at", at, clock) + [
        .init("device", .string(device.text)), .init("stack", placement.stack.map { .string($0.text) } ?? .null),
        .init("widget", .string(placement.instance.widget.exactText)),
        .init("family", .string(placement.instance.family.description)), .init("initial", .boolean(isInitial)),
      ] + change.fields(clock))
  }
}

extension WidgetEvent.Change {
  fileprivate func fields(_ clock: DeviceClock) -> [JSONValue.Field] {
    switch self {
    case .placed: [.init("event", "placed")]
    case .suggested: [.init("event", "suggested")]
    case .removed: [.init("event", "removed")]
    case .resized(let family): [.init("event", "resized"), .init("from_family", .string(family.description))]
    case .visible: [.init("event", "visible")]
    case .hidden: [.init("event", "hidden")]
    case .impressions(let count, let visibleTime):
      [
        .init("event", "impressions"), .init("impression_count", .integer(Int64(count))),
        .init("visible_time", .number(visibleTime.seconds)),
      ]
    case .tapped(let entry, let link):
      [.init("event", "tapped")] + .time("entry", entry, clock) + [
        .init("link", link.map { .string($0.text) } ?? .null)
      ]
    }
  }
}
