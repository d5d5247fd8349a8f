import MarqueeClient
import MarqueeModel
import MarqueeRPC
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire

/// A client of the server, active until the world winds down.
///
/// `@unchecked Sendable`: accessed only on the world's thread.
class SimulatedClient: @unchecked Sendable {
  /// The status codes that are expected while servers die and networks break, including those for references to missing
  /// objects.
  private static let bearable: Set<StatusCode> = [
    .ok, .unavailable, .cancelled, .deadlineExceeded, .aborted, .resourceExhausted, .notFound, .failedPrecondition,
    .alreadyExists, .outOfRange,
  ]

  let scene: Scene
  let device: DeviceID
  let connection: RPCClient

  init(_ scene: Scene, _ device: DeviceID) {
    self.scene = scene
    self.device = device
    let world = scene.world
    var configuration = ClientConfiguration()
    configuration.eventLoopGroup = world.loop
    configuration.dialer = scene.server
    configuration.chance = { world.fraction() }
    configuration.backoff.last = .seconds(5)
    connection = RPCClient(.unix(path: "simulated"), configuration: configuration)
  }

  var world: World { scene.world }

  var reconnection: Reconnection {
    let world = world
    var reconnection = Reconnection()
    reconnection.backoff.last = .seconds(5)
    reconnection.chance = { world.fraction() }
    reconnection.sleep = { try await world.sleep($0) }
    return reconnection
  }

  /// Performs an operation.
  ///
  /// - Returns: Whether it succeeded.
  @discardableResult
  func attempt(_ name: String, _ body: () async throws -> Void) async -> Bool {
    do {
      try await body()
      scene.callCount += 1
      return true
    } catch let status as RPCStatus {
      // Disk failures of the store are reported as `internal` with a message; programming errors without one.
      let isOfDisk = status.code == .internalError && status.message != "internal error"
      if !Self.bearable.contains(status.code), !isOfDisk { scene.find("\(name) on \(device): \(status)") }
    } catch is CancellationError {
      // The world is ending.
    } catch {
      scene.find("\(name) on \(device): \(error)")
    }
    return false
  }

  /// Waits for a while, or until the world winds down.
  func pause(_ seconds: ClosedRange<Int>) async {
    // These tasks are never cancelled, so this does not throw.
    try? await world.sleep(world.milliseconds(seconds.lowerBound * 1_000...seconds.upperBound * 1_000))
  }
}

/// The state shared by all clients of a world.
///
/// `@unchecked Sendable`: accessed only on the world's thread.
final class Scene: @unchecked Sendable {
  static let devices = ["phone", "kitchen"].map { name in valid { try DeviceID(name) } }
  static let apps = ["weather", "transit"].map { name in valid { try AppID("com.example.\(name)") } }
  static let stacks = ["home", "hall"].map { name in valid { try StackID(name) } }
  static let zone = valid { try TimeZoneID("Europe/Berlin") }

  let world: World
  let server: SimulatedServer
  private let clock: SimulatedClock
  let ledger = Ledger()
  /// Whether clients must not start new operations.
  var isWindingDown = false
  /// The number of successful calls.
  var callCount = 0
  private(set) var findings: [Finding] = []

  init(_ world: World, _ server: SimulatedServer, _ clock: SimulatedClock) {
    self.world = world
    self.server = server
    self.clock = clock
  }

  /// The current system time.
  var now: Instant { clock.now }

  func find(_ text: String) {
    world.log("FOUND \(text)")
    findings.append(Finding(text))
  }

  /// The app's widgets, of two kinds, one of which is configured by an intent.
  static func kinds(of app: AppID) -> [WidgetDescriptor] {
    valid {
      [
        try WidgetDescriptor(
          kind: WidgetKind(app: app, name: try KindName("Now")), displayName: "Now", families: [.systemSmall]),
        try WidgetDescriptor(
          kind: WidgetKind(app: app, name: try KindName("Later")), displayName: "Later", families: [.systemSmall]),
      ]
    }
  }

  static let widgets = apps.flatMap { kinds(of: $0).map { Widget(kind: $0.kind) } }
}
