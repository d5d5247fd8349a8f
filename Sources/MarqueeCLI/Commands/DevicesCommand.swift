import ArgumentParser
import MarqueeClient
import MarqueeModel
import MarqueeSimulator
import MarqueeWire

/// `marquee devices`
struct DevicesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "devices", abstract: "Lists the devices.")

  @OptionGroup var server: ServerOptions

  func run() async throws {
    try await server.run { session in
      var devices: [DeviceSummary] = []
      var hasMore = true
      while hasMore {
        let page = try await session.operators.devices(after: devices.last?.device)
        devices += page.devices
        hasMore = page.hasMore && !page.devices.isEmpty
      }
      try session.write(json: try Self.json(devices), lines: try Self.lines(devices))
    }
  }

  private static func json(_ devices: [DeviceSummary]) throws -> JSONValue {
    let values = try devices.map { device in
      let fields: [JSONValue.Field] = [
        .init("device", .string(device.device.text)), .init("time_zone", .string(device.timeZone.text)),
        .init("stack_count", .integer(Int64(device.stackCount))),
        .init("timeline_count", .integer(Int64(device.timelineCount))),
        .init("decision_count", .integer(Int64(clamping: device.decisionCount))),
        .init("developer_mode", .boolean(device.isDeveloperModeOn)),
      ]
      return JSONValue.object(fields + .time("next_change", device.nextWake, try DeviceClock(device.timeZone.text)))
    }
    return .object([.init("devices", .array(values))])
  }

  private static func lines(_ devices: [DeviceSummary]) throws -> [String] {
    guard !devices.isEmpty else { return ["No devices. Add one with: marquee device add NAME --time-zone ZONE"] }
    var table = Table(
      .init("DEVICE"), .init("TIME ZONE"), .init("STACKS", .right), .init("TIMELINES", .right),
      .init("DECISIONS", .right), .init("NEXT CHANGE"), .init("DEVELOPER MODE"))
    for device in devices {
      let clock = try DeviceClock(device.timeZone.text)
      table.append(
        device.device.text, device.timeZone.text, String(device.stackCount), String(device.timelineCount),
        String(device.decisionCount), device.nextWake.map { clock.shortly($0, now: .systemNow) } ?? "-",
        device.isDeveloperModeOn ? "on" : "off")
    }
    return table.lines
  }
}
