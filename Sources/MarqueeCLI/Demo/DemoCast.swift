import MarqueeClient
import MarqueeModel
import MarqueeTransport
import MarqueeWire

/// The clients of a ``DemoStage``: providers, an operator, and the user's display.
struct DemoCast: Sendable {
  /// The family of the stack, for which the content is made.
  private static let family = WidgetFamily.systemMedium

  private let connection: RPCClient
  private let operators: OperatorClient
  private let day: DemoDay
  let device: DeviceID
  private let stack: StackID
  private let publications = AsyncStream<Void>.makeStream()

  init(connection: RPCClient, day: DemoDay) throws {
    self.connection = connection
    operators = OperatorClient(connection)
    self.day = day
    device = try DeviceID("phone")
    stack = try StackID("home")
  }

  private var display: DisplayClient { DisplayClient(connection) }

  func setStage() async throws {
    _ = try await display.registerDevice(device, timeZone: DemoDay.zone)
  }

  /// Adds the widgets to the stack, the reminders widget first, and waits until all have content.
  func fillStack() async throws {
    let begin = ContinuousClock.now
    while try await !isRegistered(day.remindersWidget.kind) {
      guard begin.duration(to: .now) < .seconds(20) else {
        throw CommandFailure(.unavailable, "the marquee-reminders process has not registered its widget")
      }
      try await Task.sleep(for: .milliseconds(5))
    }
    _ = try await display.edit(stack, on: device, .create(Self.family))
    for widget in [day.remindersWidget] + day.providers.map(\.widget) {
      _ = try await display.edit(stack, on: device, .add(widget, at: nil))
    }
    for try await update in try updates() {
      switch update.change {
      case .state(let state) where state.entries.contains { $0.widget == day.remindersWidget }: return
      case .entry(let current) where current.widget == day.remindersWidget: return
      default: continue
      }
    }
  }

  private func isRegistered(_ kind: WidgetKind) async throws -> Bool {
    try await operators.widgets(of: device).kinds.contains { $0.kind == kind }
  }

  /// Advances the server's clock. Returns its time once everything due until then is decided and being sent.
  func advanceClock(to instant: Instant) async throws -> Instant {
    try await operators.advanceClock(to: instant).now
  }

  /// Creates sessions for the pages of the server.
  func pages() async throws -> DemoPages {
    try await DemoPages(operators, device: device)
  }

  func clearStage() async throws {
    _ = try await display.edit(stack, on: device, .removeStack)
  }

  func scroll(to widget: Widget) async throws {
    try await display.report(.scrolled(stack, to: widget), on: device)
  }

  func updates() throws -> DisplayUpdates {
    try display.watch(device, stacks: [stack])
  }

  /// Publishes a provider's timeline, and the next one on each reload request.
  func provide(_ provider: DemoDay.Provider, from start: Instant) async throws {
    let kind = provider.widget.kind
    let descriptor = try WidgetDescriptor(
      kind: kind, displayName: provider.displayName, families: [.systemSmall, .systemMedium])
    try await ProviderClient.run(connection, device: device, app: kind.app, kinds: [descriptor]) { client in
      try await publish(provider, at: start, client)
      for await request in client.reloadRequests { try await publish(provider, at: request.at, client) }
    }
  }

  /// Waits until `count` timelines have been acknowledged since the last call.
  func awaitPublications(of count: Int) async throws {
    for _ in 0..<count { for await _ in publications.stream { break } }
    try Task.checkCancellation()
  }

  /// Waits until every reload request has been answered. Returns the next instant at which anything can change.
  func waitForReloads() async throws -> Instant? {
    while true {
      let state = try await operators.inspect(stack, on: device)
      guard state.members.contains(where: { $0.reload.phase.isOpen }) else { return state.nextChange }
      try await awaitPublications(of: 1)
    }
  }

  private func publish(_ provider: DemoDay.Provider, at now: Instant, _ client: ProviderClient) async throws {
    let timeline = try provider.timeline(now)
    try await client.publish(timeline.entries, policy: timeline.policy, for: provider.widget, in: Self.family)
    publications.continuation.yield()
  }
}

extension ReloadStatus.Phase {
  /// Whether a response is pending.
  fileprivate var isOpen: Bool {
    if case .requested = self { true } else { false }
  }
}
