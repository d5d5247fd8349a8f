public import MarqueeClient
public import MarqueeKit
public import MarqueeModel
import MarqueeRPC
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
/// Times are those of the device's clocks: `09:41`, `09:41:30` (of the day that the clock shows), `2026-03-04
/// 09:41`, or RFC 3339. Widgets are `APP/KIND`, with `(PARAMETER=VALUE, …)` for one that is configured.
public final class StackSimulator: Sendable {
  /// The server.
  public let server: TestServer
  /// The device's name on it.
  public let device: String
  /// What people do at the device.
  public let display: DisplayClient
  /// What an operator sees.
  public let admin: OperatorClient
  private let id: DeviceID
  private let clock: DeviceClock
  private let hosts = Mutex<[Task<Void, any Error>]>([])
  private let hostedKinds = Mutex<Set<WidgetKind>>([])

  private init(_ server: TestServer, device: String, _ clock: DeviceClock) throws(Refusal) {
    self.server = server
    self.device = device
    self.clock = clock
    id = try DeviceID(device)
    let connection = server.connection()
    (display, admin) = (DisplayClient(connection), OperatorClient(connection))
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
    return try await TestServer.run(at: first) { server in
      let simulator = try StackSimulator(server, device: device, clock)
      try await simulator.display.registerDevice(simulator.id, timeZone: zone)
      do {
        let result = try await body(simulator)
        try await simulator.end()
        return result
      } catch {
        // What the body found is the reason; a host that failed besides is not.
        try? await simulator.end()
        throw error
      }
    }
  }

  private func end() async throws {
    for host in hosts.withLock(\.self) {
      host.cancel()
      try await host.value
    }
  }

  private static func instant(_ text: String, day: Instant, _ clock: DeviceClock) throws(Refusal) -> Instant {
    guard let instant = TimeText(text)?.instant(day: day, clock: clock) else {
      throw Refusal(.invalidArgument, "'\(text)' is no time such as 09:41 or 2026-03-04 09:41")
    }
    return instant
  }

  private func instant(_ text: String) throws(Refusal) -> Instant {
    try Self.instant(text, day: server.now, clock)
  }
}

// MARK: What happens

extension StackSimulator {
  /// Runs the widgets of an app, as their own process would, until the simulator ends.
  public func host<Bundle: WidgetBundle>(_ bundle: Bundle, app: String) async throws {
    let connection = try server.app(app, device: device)
    var reconnection = Reconnection()
    reconnection.backoff.first = .milliseconds(1)
    reconnection.backoff.last = .milliseconds(50)
    let host = try WidgetHost(bundle, connection: connection, reconnection: reconnection)
    let app = try AppID(app)
    let kinds = try bundle.body.hostedKinds.map { WidgetKind(app: app, name: try KindName($0.name)) }
    hosts.withLock { $0.append(Task { try await host.run() }) }
    try await wait("the kinds of \(app) to be registered") {
      let registered = try await self.admin.widgets(of: self.id).kinds.map(\.kind)
      return kinds.allSatisfy(registered.contains)
    }
    hostedKinds.withLock { $0.formUnion(kinds) }
    try await settle()
  }

  /// Runs `body` as code of an app: what it donates, sets and deletes goes to the simulator's server.
  public func run<Result>(as app: String, _ body: () async throws -> Result) async throws -> Result {
    try await server.app(app, device: device).run(body)
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

  /// Moves the clock on, stopping wherever a provider is asked for something so that it answers in its time.
  public func advance(to time: String) async throws {
    let target = try instant(time)
    guard target >= server.now else { throw Refusal(.invalidArgument, "\(time) has passed") }
    try await settle()
    while true {
      let next = try await admin.clock().nextChange ?? target
      let reading = try await admin.advanceClock(to: min(max(next, server.now), target))
      try await settle()
      if reading.now >= target { return }
    }
  }

  /// Stops the server in an orderly way and starts it again; providers connect anew.
  public func restartServer() async throws {
    try await server.restart()
    try await wait("the server to answer again") {
      do {
        _ = try await self.admin.clock()
        return true
      } catch let status as RPCStatus where status.code == .unavailable {
        // The connection to the server that was.
        return false
      }
    }
    try await settle()
  }

  /// The widget that a text means; one of a kind that nobody has registered is registered, with an entry that shows
  /// nothing.
  private func widget(
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

  /// Returns when each provider has given what it was asked for.
  func settle() async throws {
    try await wait("providers to answer") {
      let kinds = self.hostedKinds.withLock(\.self)
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

extension MarqueeModel.Widget {
  /// Whether a text names it, with its app or by its kind alone.
  func isMeant(by words: WidgetText) -> Bool {
    [kind.name.text, kind.description].contains(words.name) && words.selects(configuration)
  }
}

/// Something did not come in time.
struct Overdue: Error, CustomStringConvertible {
  let description: String
}

// MARK: What is seen

extension StackSimulator {
  /// A change of a stack that the engine decided.
  public struct Rotation: Hashable, Sendable {
    /// What the device's clocks showed, as `HH:MM` or, when it was not on the minute, `HH:MM:SS`.
    public let time: String
    /// The stack's name.
    public let stack: String
    /// The name of the kind that came to the front.
    public let kind: String
    /// Whether it was put on the stack for a while.
    public let isSuggestion: Bool
    /// Why.
    public let decision: Decision
  }

  /// What the engine has decided, the earliest first.
  public var rotations: [Rotation] {
    get async throws {
      var found: [Decision] = []
      repeat {
        let page = try await admin.decisions(on: id, before: found.last?.number, count: 1_000).decisions
        if page.isEmpty { break }
        found += page
      } while true
      return found.reversed().map { decision in
        Rotation(
          time: time(decision.at), stack: decision.stack.text, kind: decision.to.kind.name.text,
          isSuggestion: decision.kind == .suggestion, decision: decision)
      }
    }
  }

  /// The name of the kind that faces the person, now or at an earlier time.
  public func front(of stack: String, at time: String? = nil) async throws -> String? {
    try await explain(stack, at: time).front?.kind.name.text
  }

  /// What a widget on a stack shows now, as text; `nil` when it has no entry yet. It may be named by its kind alone.
  public func content(of widget: String) async throws -> String? {
    let words = try WidgetText(widget)
    var updates = try display.watch(id).makeAsyncIterator()
    guard case .state(let state)? = try await updates.next()?.change else { return nil }
    let found = state.entries.first { $0.widget.isMeant(by: words) }?.entry?.content
    return found.map { String(decoding: $0.bytes, as: UTF8.self) }
  }

  /// Why a stack shows what it shows, now or at an earlier time.
  public func explain(_ stack: String, at time: String? = nil) async throws -> Explanation {
    try await admin.explanation(of: StackID(stack), on: id, at: time.map { try instant($0) }).explanation
  }

  /// What keeps a widget from the front of a stack, now or at an earlier time. The widget may be named by its kind
  /// alone.
  public func whyNot(_ widget: String, in stack: String, at time: String? = nil) async throws -> WhyNot {
    let words = try WidgetText(widget)
    let known = try await admin.stacks(of: id).flatMap(\.members).first { $0.isMeant(by: words) }
    let subject = if let known { known } else { try await self.widget(widget, registering: nil) }
    return try await admin.whyNot(subject, in: StackID(stack), on: id, at: time.map { try instant($0) }).whyNot
  }

  private func time(_ instant: Instant) -> String {
    let text = clock.timeOfDay(instant)
    return text.hasSuffix(":00") ? String(text.dropLast(3)) : text
  }
}
