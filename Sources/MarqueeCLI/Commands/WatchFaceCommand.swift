import ArgumentParser
import MarqueeClient
import MarqueeModel
import MarqueeSimulator
import MarqueeTerminal
import MarqueeWire

/// `marquee watch-face`
struct WatchFaceCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch-face",
    abstract: "List the shortcuts for a device's watch face with reasons, most relevant first.")

  @Argument(help: "The device; required if there are several.", completion: .deviceNames)
  var device: String?

  @Option(name: [.long, .short], help: "The maximum number of results.")
  var count = 20

  @OptionGroup var server: ServerOptions

  func validate() throws {
    guard (1...ListWatchFaceRequest.countMax).contains(count) else {
      throw ValidationError("--count must be from 1 to \(ListWatchFaceRequest.countMax)")
    }
  }

  func run() async throws {
    try await server.run { session in
      let device = try await NameDirectory.fetch(device: self.device, .devices, session).device
      let answer = try await session.operators.watchFace(of: device, count: count)
      let clock = try DeviceClock(answer.timeZone.text)
      session.write(json: answer.json(on: device, clock), lines: answer.lines(clock))
    }
  }
}

extension ListWatchFaceResponse {
  fileprivate func lines(_ clock: DeviceClock) -> [String] {
    guard !items.isEmpty else { return ["No relevant shortcuts."] }
    var table = Table(.init("NOW"), .init("WHAT"), .init("APP"), .init("AS"), .init("WHY"))
    for item in items {
      table.append(
        item.isRelevantNow ? "yes" : "", item.shown.text, item.app.text, "\(item.role)",
        item.summary { clock.shortly($0, now: at) })
    }
    return table.lines + (hasMore ? ["… and more"] : [])
  }

  fileprivate func json(on device: DeviceID, _ clock: DeviceClock) -> JSONValue {
    let objects = items.map { item in
      JSONValue.object(
        [.init("app", .string(item.app.text))] + item.shortcut.fields(of: item.app) + [
          .init("relevant_now", .boolean(item.isRelevantNow)),
          .init("reason", .string(item.summary { clock.shortly($0, now: at) })), .init("display", item.shown.json),
        ] + .time("until", item.until, clock))
    }
    return .object(
      .time("at", at, clock) + [.init("device", .string(device.text)), .init("time_zone", .string(timeZone.text))]
        + .time("next_change", nextChange, clock) + [
          .init("has_more", .boolean(hasMore)), .init("items", .array(objects)),
        ])
  }
}

extension WatchFaceItem {
  /// The representation for the user.
  fileprivate var shown: ActionDisplay { display ?? ActionDisplay(of: shortcut, of: app) }
}
