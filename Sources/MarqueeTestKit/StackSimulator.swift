public import Foundation
public import MarqueeClient
public import MarqueeKit
import MarqueeModel
import MarqueeRPC
internal import MarqueeServer
import MarqueeSimulator
import Synchronization

/// A simulated device with stacks on a ``TestServer``, and providers in this process, for testing when widgets rotate
/// to the front.
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
/// Times are local times of the device, in its initial time zone: `09:41` or `09:41:30` (of the current day; at
/// midnight, times in the past are of the day that ends), `2026-03-04 09:41`, or RFC 3339. Widgets are written
/// `APP/KIND`, or `APP/KIND(PARAMETER=VALUE, …)` with a configuration.
public final class StackSimulator: Sendable {
  /// An app whose widgets are provided in this process.
  struct HostedApp: Sendable {
    let app: AppID
    let connection: AppConnection
    let kinds: [HostedKind]
    let host: WidgetHost
    let task: Task<Void, any Error>
  }

  /// The server.
  public let server: TestServer
  /// The device's ID.
  public let device: String
  /// The client of the device's display, connected through ``displayLink``.
  public let display: DisplayClient
  /// An operator's client, connected directly.
  public let admin: OperatorClient
  /// The relay between the providers and the server.
  public let providerLink: ServerLink
  /// The relay between ``display`` and the server.
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

  /// Runs a device on its own server while `body` runs.
  ///
  /// - Parameters:
  /// - start: The device's initial local time, with the date.
  /// - zone: The device's IANA time zone identifier.
  /// - language: The language of the device's user, a BCP 47 language tag.
  public static func run<Result>(
    from start: String, in zone: String = "UTC", language: String = "en", device: String = "test-device",
    _ body: (StackSimulator) async throws -> Result
  ) async throws -> Result {
    let zone = try TimeZoneID(zone)
    let clock = try DeviceClock(zone)
    let first = try instant(start, day: .min, clock)
    let tag = try LanguageTag(language)
    return try await run(DeviceID(device), zone, clock, ScenarioScript(), at: first, configured: { _ in }) {
      simulator in
      if tag != .english {
        try await simulator.display.registerDevice(simulator.id, timeZone: zone, language: tag)
      }
      return try await body(simulator)
    }
  }

  /// Runs the device of a scenario on its own server while `body` runs.
  ///
  /// The scenario's initial state is applied before `body` is called; its events are performed by ``advance(to:)`` and
  /// ``advanceToEnd()``. The format is described in *Scenarios* of MarqueeSimulator.
  ///
  /// Hosted widgets get their timelines from their providers: the scenario's kinds and timelines for them are skipped,
  /// so that a recorded day can be replayed with changed code. Events that a server generates itself (`utc-offsets`,
  /// `trim-donations`) are skipped, too.
  ///
  /// - Throws: `ScenarioError` with the line and field for an invalid file, or the error of reading it.
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
      // The error of the body takes precedence over an error of a host.
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

  /// The messages logged by hosts so far: warnings of the server, entries dated by the system clock instead of
  /// `AppConnection.now`, ignored attributes of `relevance()`, and failures to make a timeline.
  public var remarks: [String] { log.all }

  static func instant(_ text: String, day: Instant, _ clock: DeviceClock) throws(RequestError) -> Instant {
    guard let instant = TimeText(text)?.instant(day: day, clock: clock) else {
      throw RequestError(.invalidArgument, "invalid time '\(text)'; expected 09:41 or 2026-03-04 09:41")
    }
    return instant
  }

  func instant(_ text: String) throws(RequestError) -> Instant {
    try Self.instant(text, day: server.now, clock)
  }

  /// Returns a time in the past. At midnight, times of day are of the day that ends.
  func pastInstant(_ text: String) throws(RequestError) -> Instant {
    let now = server.now
    let (time, start) = (try instant(text), clock.dayBounds(containing: now).start)
    guard time > now, now == start else { return time }
    return try Self.instant(text, day: now.advanced(by: TimeSpan(milliseconds: -1)), clock)
  }
}

// MARK: Events

extension StackSimulator {
  /// Hosts an app's widgets in this process until the simulator ends. Returns once it provides them and serves queries.
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
    try await wait("\(app) to serve queries") { self.providerLink.isInterrupted || host.isServingQueries }
    try await waitUntilIdle()
  }

  /// Sets the language of the device's user, a BCP 47 language tag. Hosted apps register their texts in it.
  public func setLanguage(_ language: String) async throws {
    let zone = try await display.time(of: id).timeZone
    try await display.registerDevice(id, timeZone: zone, language: LanguageTag(language))
  }

  /// Sets the device's time zone, an IANA identifier. Hosted apps make all timelines again.
  ///
  /// The simulator's times remain local times of the initial zone, like those of a scenario.
  public func setTimeZone(_ zone: String) async throws {
    try await display.registerDevice(id, timeZone: TimeZoneID(zone))
  }

  /// Stops an app's hosts and removes the app from the device.
  func remove(_ app: AppID) async throws {
    for host in hosted.withLock(\.self) where host.app == app { host.task.cancel() }
    hosted.withLock { $0.removeAll { $0.app == app } }
    connections.withLock { $0[app] = nil }
    try await display.removeApp(app, from: id)
  }

  /// Runs `body` as code of an app, on the connection of its hosted widgets, if any.
  public func run<Result>(as app: String, _ body: () async throws -> Result) async throws -> Result {
    try await connection(of: AppID(app)).run(body)
  }

  /// Adds a stack with widgets, the first in front.
  ///
  /// A kind that no provider has registered is registered with an empty entry.
  public func addStack(
    _ name: String, family: MarqueeKit.WidgetFamily = .systemSmall, _ widgets: [String]
  ) async throws {
    let stack = try StackID(name)
    let family = family.model
    try await display.edit(stack, on: id, .create(family))
    for text in widgets {
      try await display.edit(stack, on: id, .add(try await widget(text, registering: family), at: nil))
    }
    try await waitUntilIdle()
  }

  /// Advances the clock, stopping at each reload request, so that providers answer at its time, and at each event of
  /// the scenario.
  ///
  /// - Throws: `ScenarioError` with the line of an event that the server rejects.
  public func advance(to time: String) async throws {
    let target = try instant(time)
    guard target >= server.now else { throw RequestError(.invalidArgument, "time \(time) is in the past") }
    try await advance(to: target)
  }

  func advance(to target: Instant) async throws {
    try await waitUntilIdle()
    while true {
      var next = try await admin.clock().nextChange ?? target
      if let happening = script.next { next = min(next, happening) }
      let reading = try await admin.advanceClock(to: min(max(next, server.now), target))
      try await waitUntilIdle()
      try await play()
      if reading.now >= target { return }
    }
  }

  /// Restarts the server gracefully; providers reconnect.
  public func restartServer() async throws {
    try await server.restart()
    try await reconnect()
    try await waitUntilIdle()
  }

  /// Waits until the restarted server answers.
  func reconnect() async throws {
    try await wait("the server to answer again") {
      do {
        _ = try await self.admin.clock()
        return true
      } catch let status as RPCStatus where status.code == .unavailable {
        // The connection to the previous server was closed.
        return false
      }
    }
  }

  /// Returns the connection of an app, shared by its widgets and its other code.
  func connection(of app: AppID) throws -> AppConnection {
    try connections.withLock { connections in
      if let known = connections[app] { return known }
      let new = try server.app(app.text, device: device, on: providerLink.connection())
      connections[app] = new
      return new
    }
  }

  /// Returns the widget that a text names. An unknown kind is registered with an empty entry.
  func widget(
    _ text: String, registering family: MarqueeModel.WidgetFamily?
  ) async throws -> MarqueeModel.Widget {
    let words = try WidgetText(text)
    guard let slash = words.name.lastIndex(of: "/") else {
      throw RequestError(.invalidArgument, "invalid widget '\(text)'; expected APP/KIND")
    }
    let app = try AppID(String(words.name[..<slash]))
    let kind = WidgetKind(app: app, name: try KindName(String(words.name[words.name.index(after: slash)...])))
    let registered = try await admin.widgets(of: id).kinds.first { $0.kind == kind }
    switch registered?.configuration {
    case .intent(let type)?: return MarqueeModel.Widget(kind: kind, configuration: try words.intent(of: type))
    case .static?: return MarqueeModel.Widget(kind: kind)
    case nil:
      guard let family, words.parameters == nil else {
        throw RequestError(.notFound, "the kind of '\(text)' is not registered")
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

  /// Waits until all reload requests are answered and relevance is uploaded, or the provider relay is interrupted.
  func waitUntilIdle() async throws {
    try await wait("providers to answer") {
      if self.providerLink.isInterrupted { return true }
      let hosted = self.hosted.withLock(\.self)
      guard hosted.allSatisfy(\.host.isRelevanceSynchronized) else { return false }
      let kinds = try self.hostedKinds()
      for stack in try await self.admin.stacks(of: self.id) {
        for member in try await self.admin.inspect(stack.id, on: self.id).members
        where kinds.contains(member.widget.kind) {
          let isRequested = if case .requested = member.reload.phase { true } else { false }
          guard isRequested || member.entryCount == nil else { continue }
          // Waiting does not make an unknown configuration known.
          for app in hosted { if let error = app.host.configurationError(of: member.widget) { throw error } }
          return false
        }
      }
      return true
    }
  }

  private func wait(_ what: String, until condition: () async throws -> Bool) async throws {
    let begin = ContinuousClock.now
    while try await !condition() {
      guard begin.duration(to: .now) < .seconds(30) else {
        let latest = remarks.suffix(3).map { "; logged: \($0)" }.joined()
        throw Overdue(description: "waited 30 s for \(what)\(latest)")
      }
      try await Task.sleep(for: .milliseconds(1))
    }
  }
}

/// A condition was not met within the time limit.
struct Overdue: Error, CustomStringConvertible {
  let description: String
}
