import ArgumentParser
import MarqueeClient
import MarqueeModel
import MarqueeSimulator

/// `marquee top`
struct TopCommand: AsyncParsableCommand {
  /// Devices that are watched at once.
  private static let deviceCountMax = 64

  static let configuration = CommandConfiguration(
    commandName: "top",
    abstract: "Shows stacks live on the whole terminal: fronts, what speaks for them, what comes next, and decisions.",
    discussion: """
      Keys: q quits, the arrows or j and k choose a stack, enter or e tells why it was changed last, and ? tells of \
      the others. When the server goes away, it is waited for. Stacks come and go as they do on the device; devices \
      are those that are there when it begins.
      """)

  @Argument(help: "Only this device; all of them unless given.", completion: .deviceNames)
  var device: String?

  @Flag(help: "Write what it shows once, and end.")
  var once = false

  @OptionGroup var server: ServerOptions

  func validate() throws {
    guard !server.json else {
      throw ValidationError("top is for people; \"marquee watch\" and \"marquee inspect\" write JSON")
    }
  }

  func run() async throws {
    if !once, let obstacle = FullScreen.obstacle {
      throw CommandFailure(.usage, obstacle, hints: ["With --once it is written once, as text."])
    }
    try await server.run(follows: !once, reconnectionTimeMax: TopFeed.interval) { session in
      let devices = try await Self.devices(device, session)
      if once {
        try await Self.writeOnce(devices, session)
      } else {
        try await TopProgram(session: session, devices: devices).run()
      }
    }
  }

  private static func devices(
    _ text: String?, _ session: Session
  ) async throws -> [(id: DeviceID, clock: DeviceClock)] {
    let names =
      if let text {
        [try await NameDirectory.fetch(device: text, .devices, session.operators)]
      } else {
        try await NameDirectory.fetchAll(.devices, session.operators).devices
      }
    guard names.count <= deviceCountMax else {
      throw CommandFailure(
        .refused, "there are more than \(deviceCountMax) devices", hints: ["Name one: marquee top DEVICE"])
    }
    // Without any, this says what to do.
    if names.isEmpty { _ = try NameDirectory(devices: names).device(nil) }
    return try names.map { ($0.device, try $0.clock) }
  }

  private static func writeOnce(_ devices: [(id: DeviceID, clock: DeviceClock)], _ session: Session) async throws {
    var state = TopState(devices: devices)
    let feed = TopFeed(session: session, devices: devices.map(\.id)) { _ in }
    _ = state.handle(.clock(try await session.operators.clock().now))
    for device in devices {
      for event in try await feed.once(device.id) { _ = state.handle(event) }
    }
    let frame = TopFrame(state: state, server: "\(session.endpoint)", columns: session.terminal.width, rows: nil)
    session.terminal.write(frame.text(session.terminal))
  }
}
