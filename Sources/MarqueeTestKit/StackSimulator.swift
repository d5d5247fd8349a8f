public import Foundation
public import MarqueeClient
public import MarqueeKit
import MarqueeModel
import MarqueeRPC
internal import MarqueeServer
import MarqueeSimulator
import Synchronization

/// A device with stacks on a ``TestServer``, and providers in this process: what a widget developer needs to see
/// whether and when widgets come to the front.
///
/// ```swift
/// try await StackSimulator.run(from: "2026-03-04 08:00", in: "Europe/Berlin") { day in
///   try await day.host(CardsWidgets(), app: "com.example.cards")
///   try await day.addStack("home", ["com.example.news/Headlines", "com.example.cards/RecentPurchases"])
///   try await day.advance(to: "18:00")
///   #expect(try await day.front(of: "home", at: "09:41") == "RecentPurchases")
/// }
/// ```
///
/// Times are those of the device's clocks: `09:41`, `09:41:30` (of the day that the clock shows; at midnight, what is
/// asked of the past is of the day that ends), `2026-03-04 09:41`, or RFC 3339. Widgets are `APP/KIND`, with
/// `(PARAMETER=VALUE, …)` for one that is configured.
public final class StackSimulator: Sendable {
  /// An app whose widgets are provided here.
  struct HostedApp: Sendable {
    let app: AppID
    let connection: AppConnection
    let kinds: [HostedKind]
    let host: WidgetHost
    let task: Task<Void, any Error>
  }

  /// The server.
  public let server: TestServer
  /// The device's name on it.
  public let device: String
  /// What people do at the device, through ``displayLink``.
  public let display: DisplayClient
  /// What an operator sees.
  public let admin: OperatorClient
  /// The way of apps and their widgets to the server.
  public let providerLink: ServerLink
  /// The way of ``display`` to the server.
  public let displayLink: ServerLink
  let id: DeviceID
  let clock: DeviceClock
  let script: ScenarioScript
  let hosted = Mutex<[HostedApp]>([])
  private let connections = Mutex<[AppID: AppConnection]>([:])
  private let log = RemarkLog()

  private init(
    _ server: TestServer, _ id: DeviceID, _ clock: DeviceClock, _ script: ScenarioScript,
    _ links: (provider: ServerLink, display: ServerLink)
  ) {
    (self.server, self.id, self.clock, self.script) = (server, id, clock, script)
    device = id.text
    (providerLink, displayLink) = links
    display = DisplayClient(links.display.connection(), reconnection: .eager)
    admin = OperatorClient(server.connection())
  }

  /// Runs a device on a server of its own while `body` runs.
  ///
  /// - Parameters:
  ///   - start: What its clocks show at first, with the date.
  ///   - zone: Its time zone, as IANA names it.
  public static func run<Result>(
    from start: String, in zone: String = "UTC", device: String = "test-device",
    _ body: (StackSimulator) async throws -> Result
  ) async throws -> Result {
    let zone = try TimeZoneID(zone)
    let clock = try DeviceClock(zone)
    let first = try instant(start, day: .min, clock)
    return try await run(DeviceID(device), zone, clock, ScenarioScript(), at: first, configured: { _ in }, body)
  }

  /// Runs the device of a scenario on a server of its own while `body` runs: of a file as *Scenarios* in
  /// MarqueeSimulator tells. What the scenario has at its beginning has happened when `body` begins; the rest happens
  /// as ``advance(to:)`` and ``advanceToEnd()`` come to it.
  ///
  /// Widgets that are hosted here get their timelines from their providers: what the scenario says of their kinds and
  /// publishes for them is passed over, so that a recorded day can be lived through with other code. So is what a
  /// server does by itself: `utc-offsets` and `trim-donations`.
  ///
  /// - Throws: `ScenarioError` for a file that is none, with the line and the field; what reading the file throws.
  public static func run<Result>(
    scenario file: URL, _ body: (StackSimulator) async throws -> Result
  ) async throws -> Result {
    let scenario = try Scenario(yaml: String(contentsOf: file, encoding: .utf8))
    let change: @Sendable (inout MarqueeConfiguration) -> Void = { $0.policy = scenario.policy }
    return try await run(
      scenario.device, scenario.timeZone, scenario.clock, ScenarioScript(scenario), at: scenario.begin,
      configured: change
    ) { simulator in
      try await simulator.play()
      return try await body(simulator)
    }
  }

  private static func run<Result>(
    _ device: DeviceID, _ zone: TimeZoneID, _ clock: DeviceClock, _ script: ScenarioScript, at start: Instant,
    configured change: @escaping @Sendable (inout MarqueeConfiguration) -> Void,
    _ body: (StackSimulator) async throws -> Result
  ) async throws -> Result {
    try await TestServer.run(at: start, configured: change) { server in
      try await server.link("provider") { provider in
        try await server.link("display") { display in
          let simulator = StackSimulator(server, device, clock, script, (provider, display))
          try await simulator.display.registerDevice(device, timeZone: zone)
          return try await simulator.run(body)
        }
      }
    }
  }

  private func run<Result>(_ body: (StackSimulator) async throws -> Result) async throws -> Result {
    do {
      let result = try await body(self)
      try await end()
      return result
    } catch {
      // What the body found is the reason; a host that failed besides is not.
      try? await end()
      throw error
    }
  }

  private func end() async throws {
    for app in hosted.withLock(\.self) {
      app.task.cancel()
      try await app.task.value
    }
  }

  /// What hosts had to say of the widgets so far: warnings of the server, what of `relevance()` counts for nothing, and
  /// why there is no timeline.
  public var remarks: [String] { log.all }

  static func instant(_ text: String, day: Instant, _ clock: DeviceClock) throws(Refusal) -> Instant {
    guard let instant = TimeText(text)?.instant(day: day, clock: clock) else {
      throw Refusal(.invalidArgument, "'\(text)' is no time such as 09:41 or 2026-03-04 09:41")
    }
    return instant
  }

  func instant(_ text: String) throws(Refusal) -> Instant {
    try Self.instant(text, day: server.now, clock)
  }

  /// A time that has passed: at midnight, times of day are those of the day that ends.
  func pastInstant(_ text: String) throws(Refusal) -> Instant {
    let now = server.now
    let (time, start) = (try instant(text), clock.dayBounds(containing: now).start)
    guard time > now, now == start else { return time }
    return try Self.instant(text, day: now.advanced(by: TimeSpan(milliseconds: -1)), clock)
  }
}

// MARK: What happens

extension StackSimulator {
  /// Runs the widgets of an app, as their own process would, until the simulator ends.
  public func host<Bundle: WidgetBundle>(_ bundle: Bundle, app: String) async throws {
    let app = try AppID(app)
    let connection = try connection(of: app)
    let host = try WidgetHost(bundle, connection: connection, reconnection: .eager, logger: log.logger)
    let hostedKinds = bundle.body.hostedKinds
    let kinds = try hostedKinds.map { WidgetKind(app: app, name: try KindName($0.name)) }
    let task = Task { try await host.run() }
    hosted.withLock {
      $0.append(HostedApp(app: app, connection: connection, kinds: hostedKinds, host: host, task: task))
    }
    try await wait("the kinds of \(app) to be registered") {
      let registered = try await self.admin.widgets(of: self.id).kinds.map(\.kind)
      return kinds.allSatisfy(registered.contains)
    }
    try await settle()
  }

  /// Runs `body` as code of an app, in the process of its widgets if they are hosted here: what it donates, sets and
  /// deletes goes to the simulator's server.
  public func run<Result>(as app: String, _ body: () async throws -> Result) async throws -> Result {
    try await connection(of: AppID(app)).run(body)
  }

  /// Puts a stack on the device, the first widget in front. The kind of a widget that no provider has registered is
  /// registered without one: it never has anything to show.
  public func addStack(
    _ name: String, family: MarqueeKit.WidgetFamily = .systemSmall, _ widgets: [String]
  ) async throws {
    let stack = try StackID(name)
    let family = family.model
    try await display.edit(stack, on: id, .create(family))
    for text in widgets {
      try await display.edit(stack, on: id, .add(try await widget(text, registering: family), at: nil))
    }
    try await settle()
  }

  /// Moves the clock on, stopping wherever a provider is asked for something so that it answers in its time, and
  /// wherever something of the scenario happens.
  ///
  /// - Throws: `ScenarioError` for what the server refuses of the scenario, with its line.
  public func advance(to time: String) async throws {
    let target = try instant(time)
    guard target >= server.now else { throw Refusal(.invalidArgument, "\(time) has passed") }
    try await advance(to: target)
  }

  func advance(to target: Instant) async throws {
    try await settle()
    while true {
      var next = try await admin.clock().nextChange ?? target
      if let happening = script.next { next = min(next, happening) }
      let reading = try await admin.advanceClock(to: min(max(next, server.now), target))
      try await settle()
      try await play()
      if reading.now >= target { return }
    }
  }

  /// Stops the server in an orderly way and starts it again; providers connect anew.
  public func restartServer() async throws {
    try await server.restart()
    try await reconnect()
    try await settle()
  }

  /// Returns when the server that has been started again answers operators.
  func reconnect() async throws {
    try await wait("the server to answer again") {
      do {
        _ = try await self.admin.clock()
        return true
      } catch let status as RPCStatus where status.code == .unavailable {
        // The connection to the server that was.
        return false
      }
    }
  }

  /// The app as one process is, whose widgets and whose code share what they know.
  func connection(of app: AppID) throws -> AppConnection {
    try connections.withLock { connections in
      if let known = connections[app] { return known }
      let new = try server.app(app.text, device: device, on: providerLink.connection())
      connections[app] = new
      return new
    }
  }

  /// The widget that a text means; one of a kind that nobody has registered is registered, with an entry that shows
  /// nothing.
  func widget(
    _ text: String, registering family: MarqueeModel.WidgetFamily?
  ) async throws -> MarqueeModel.Widget {
    let words = try WidgetText(text)
    guard let slash = words.name.lastIndex(of: "/") else {
      throw Refusal(.invalidArgument, "'\(text)' is no widget such as com.example.cards/RecentPurchases")
    }
    let app = try AppID(String(words.name[..<slash]))
    let kind = WidgetKind(app: app, name: try KindName(String(words.name[words.name.index(after: slash)...])))
    let registered = try await admin.widgets(of: id).kinds.first { $0.kind == kind }
    switch registered?.configuration {
    case .intent(let type)?: return MarqueeModel.Widget(kind: kind, configuration: try words.intent(of: type))
    case .static?: return MarqueeModel.Widget(kind: kind)
    case nil:
      guard let family, words.parameters == nil else {
        throw Refusal(.notFound, "no provider has registered the kind of '\(text)'")
      }
      let widget = MarqueeModel.Widget(kind: kind)
      let kinds = [try WidgetDescriptor(kind: kind, displayName: kind.name.text, families: [family])]
      let now = server.now
      try await ProviderClient.run(server.connection(), device: id, app: app, kinds: kinds) { provider in
        _ = try await provider.publish([MarqueeModel.TimelineEntry(date: now)], policy: .never, for: widget)
      }
      return widget
    }
  }

  /// Returns when each provider has given what it was asked for, unless none of them can be reached.
  func settle() async throws {
    try await wait("providers to answer") {
      if self.providerLink.isInterrupted { return true }
      let hosted = self.hosted.withLock(\.self)
      guard hosted.allSatisfy(\.host.isRelevanceTold) else { return false }
      let kinds = try self.hostedKinds()
      for stack in try await self.admin.stacks(of: self.id) {
        for member in try await self.admin.inspect(stack.id, on: self.id).members
        where kinds.contains(member.widget.kind) {
          if case .requested = member.reload.phase { return false }
          if member.entryCount == nil { return false }
        }
      }
      return true
    }
  }

  private func wait(_ what: String, until condition: () async throws -> Bool) async throws {
    let begin = ContinuousClock.now
    while try await !condition() {
      guard begin.duration(to: .now) < .seconds(30) else { throw Overdue(description: "waited 30 s for \(what)") }
      try await Task.sleep(for: .milliseconds(1))
    }
  }
}

/// Something did not come in time.
struct Overdue: Error, CustomStringConvertible {
  let description: String
}
