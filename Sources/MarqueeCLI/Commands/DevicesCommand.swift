import ArgumentParser
import MarqueeClient
import MarqueeModel
import MarqueeSimulator
import MarqueeTerminal
import MarqueeWire

/// `marquee devices`
struct DevicesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "devices", abstract: "List the devices.")

  @OptionGroup var server: ServerOptions

  func run() async throws {
    try await server.run { session in
      let (devices, now) = try await Self.devices(session)
      try session.write(json: try Self.json(devices), lines: try Self.lines(devices, now: now))
    }
  }

  /// Returns all devices of the server, and its current time.
  static func devices(_ session: Session) async throws -> (devices: [DeviceSummary], now: Instant) {
    var devices: [DeviceSummary] = []
    while true {
      let page = try await session.operators.devices(after: devices.last?.device)
      devices += page.devices
      guard page.hasMore, !page.devices.isEmpty else { return (devices, page.at) }
    }
  }

  private static func json(_ devices: [DeviceSummary]) throws -> JSONValue {
    let values = try devices.map { device in
      guard device.error.isEmpty else {
        return JSONValue.object([.init("device", .string(device.device.text)), .init("error", .string(device.error))])
      }
      var fields: [JSONValue.Field] = [
        .init("device", .string(device.device.text)), .init("time_zone", .string(device.timeZone.text)),
        .init("language", .string(device.language.text)),
        .init("stack_count", .integer(Int64(device.stackCount))),
        .init("timeline_count", .integer(Int64(device.timelineCount))),
        .init("decision_count", .integer(Int64(clamping: device.decisionCount))),
        .init("developer_mode", .boolean(device.isDeveloperModeOn)),
      ]
      if device.isFarAhead { fields.append(.init("clock_ahead_ms", .integer(device.clockAheadMilliseconds))) }
      return JSONValue.object(fields + .time("next_change", device.nextWake, try DeviceClock(device.timeZone.text)))
    }
    return .object([.init("devices", .array(values))])
  }

  private static func lines(_ devices: [DeviceSummary], now: Instant) throws -> [String] {
    guard !devices.isEmpty else { return ["No devices. Add one with: marquee device add NAME --time-zone ZONE"] }
    var table = Table(
      .init("DEVICE"), .init("TIME ZONE"), .init("LANGUAGE"), .init("STACKS", .right), .init("TIMELINES", .right),
      .init("DECISIONS", .right), .init("NEXT CHANGE"), .init("DEVELOPER MODE"))
    for device in devices {
      guard device.error.isEmpty else {
        table.append(device.device.text, "-", "-", "-", "-", "-", "-", "-")
        continue
      }
      let clock = try DeviceClock(device.timeZone.text)
      table.append(
        device.device.text, device.timeZone.text, device.language.text, String(device.stackCount),
        String(device.timelineCount), String(device.decisionCount),
        device.nextWake.map { clock.shortly($0, now: now) } ?? "-",
        device.isDeveloperModeOn ? "on" : "off")
    }
    let unreadable = devices.filter { !$0.error.isEmpty }
    let ahead = devices.filter(\.isFarAhead)
    return table.lines + unreadable.map { "\($0.device) cannot be read: \($0.error)" }
      + ahead.map { device in
        "The clock of \(device.device) is \(device.clockAheadMilliseconds / 1_000) s ahead of the server's. "
          + "Reset it with: marquee device reset-clock \(device.device)"
      }
  }
}

extension DeviceSummary {
  /// Whether the device's clock is so far ahead of the server's that the output warns.
  var isFarAhead: Bool { clockAheadMilliseconds > 60_000 }
}
