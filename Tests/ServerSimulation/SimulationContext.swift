import MarqueeModel
import MarqueeTestSupport

/// The state shared by all clients of a world.
///
/// `@unchecked Sendable`: accessed only on the world's thread.
final class SimulationContext: @unchecked Sendable {
  static let devices = ["phone", "kitchen"].map { name in valid { try DeviceID(name) } }
  static let apps = ["weather", "transit"].map { name in valid { try AppID("com.example.\(name)") } }
  static let stacks = ["home", "hall"].map { name in valid { try StackID(name) } }
  /// The surfaces that displays watch.
  static let surfaces = [SuggestionSurface.search, .notifications, .shortcutsGallery]
  /// The intent type of each app's Focus filters, with one number.
  static let filterType = valid { try IntentType("Filter") }
  static let filterNumber = valid { try IntentParameter.Name("number") }
  static let focuses = ["work", "sleep"].map { name in valid { try FocusID(name) } }
  static let zone = valid { try TimeZoneID("Europe/Berlin") }

  let world: World
  let server: SimulatedServer
  private let clock: SimulatedClock
  let ledger = Ledger()
  /// Whether clients must not start new operations.
  var isWindingDown = false
  /// The number of successful calls.
  var callCount = 0
  /// The number of intents that apps have performed.
  var intentCount = 0
  private(set) var findings: [RequirementFailure] = []
  /// The sent intents that no app has received.
  private var sentIntents: [Int: (app: AppID, device: DeviceID)] = [:]

  init(_ world: World, _ server: SimulatedServer, _ clock: SimulatedClock) {
    self.world = world
    self.server = server
    self.clock = clock
  }

  /// The current system time.
  var now: Instant { clock.now }

  func find(_ text: String) {
    world.log("FOUND \(text)")
    findings.append(RequirementFailure(text))
  }

  func recordSent(intent number: Int, of app: AppID, on device: DeviceID) { sentIntents[number] = (app, device) }

  /// Returns the number of an intent that an app receives, which must be sent to it, and once.
  func begin(_ invocation: IntentInvocation, for app: AppID, on device: DeviceID) -> Int? {
    let number = SimulatedIntent.number(of: invocation)
    let sent = number.flatMap { sentIntents.removeValue(forKey: $0) }
    if sent?.app == app, sent?.device == device { return number }
    find("\(app) on \(device): \(invocation), repeated or of \(sent as Any)")
    return nil
  }

  /// Returns the family in which a stack is created.
  static func family(of stack: StackID) -> WidgetFamily { stack == stacks[0] ? .systemSmall : .systemLarge }

  /// The app's widget kinds, one of which has two families.
  static func kinds(of app: AppID) -> [WidgetDescriptor] {
    valid {
      [
        try WidgetDescriptor(
          kind: WidgetKind(app: app, name: try KindName("Now")), displayName: "Now",
          families: [.systemSmall, .systemLarge]),
        try WidgetDescriptor(
          kind: WidgetKind(app: app, name: try KindName("Later")), displayName: "Later", families: [.systemSmall]),
      ]
    }
  }

  static let widgets = apps.flatMap { kinds(of: $0).map { Widget(kind: $0.kind) } }
}
