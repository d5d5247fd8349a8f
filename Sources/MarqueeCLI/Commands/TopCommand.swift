import ArgumentParser
import MarqueeClient
import MarqueeModel
import MarqueeSimulator

/// `marquee top`
struct TopCommand: AsyncParsableCommand {
  /// The maximum number of devices watched at once.
  private static let deviceCountMax = 64

  static let configuration = CommandConfiguration(
    commandName: "top",
    abstract: "Show stacks live in full screen: fronts, evidence, next changes and decisions.",
    discussion: """
      Keys: q quits, the arrow keys or j and k select a stack, enter or e explains its last change, and ? lists the \
      other keys. A lost connection is reestablished automatically. A device whose updates are interrupted, as by the \
      end of its server in a cluster, is named below the stacks. Stacks appear and disappear as on the device; the set \
      of devices is fixed at the start.
      """)

  @Argument(help: "Only this device; defaults to all devices.", completion: .deviceNames)
  var device: String?

  @Flag(help: "Print the current state once and exit.")
  var once = false

  @OptionGroup var server: ServerOptions

  func validate() throws {
    guard !server.json else {
      throw ValidationError("top does not support --json; use \"marquee watch\" or \"marquee inspect\"")
    }
  }

  func run() async throws {
    if !once, let obstacle = FullScreen.obstacle {
      throw CommandFailure(.usage, obstacle, hints: ["Use --once to print the state once as text."])
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
        [try await NameDirectory.fetch(device: text, .devices, session)]
      } else {
        try await NameDirectory.fetchAll(.devices, session).devices
      }
    guard names.count <= deviceCountMax else {
      throw CommandFailure(
        .rejected, "there are more than \(deviceCountMax) devices", hints: ["Name one: marquee top DEVICE"])
    }
    // Throws the error for a server without devices.
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
