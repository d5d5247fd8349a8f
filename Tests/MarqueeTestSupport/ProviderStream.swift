import MarqueeClient
import MarqueeModel
import MarqueeRPC
import MarqueeTransport
import MarqueeWire

/// A provider's stream at the level of messages, for tests of behavior that ``ProviderClient`` prevents.
package struct ProviderStream {
  package let call: ClientCall<ProviderMessage, ProviderEvent>
  // Retained because a released client closes its connection.
  private let connection: RPCClient
  private var events: MessageStream<ProviderEvent>.AsyncIterator

  /// Opens and attaches a stream.
  package init(
    _ connection: RPCClient, device: DeviceID = Fixture.device, app: AppID, heartbeat: HeartbeatInterval = .none
  ) async throws {
    self.connection = connection
    call = try await connection.bidirectional(ProviderService.provide)
    events = call.responses.makeAsyncIterator()
    try await call.send(.attach(device, app, heartbeat: heartbeat))
    guard case .attached = try await next() else { throw UnexpectedEvent() }
  }

  /// Returns the next event, skipping warnings, placements and their reload requests, which have their own tests.
  ///
  /// - Throws: The stream's status at its end.
  package mutating func next() async throws -> ProviderEvent {
    while let event = try await events.nextInTime() {
      switch event {
      case .placed: continue
      case .reload(let request) where request.reason == .placed: continue
      case .accepted(let id, _): return .accepted(id, warnings: [])
      case .attached, .rejected, .reload, .language, .timeZone, .heartbeat: return event
      }
    }
    throw UnexpectedEvent()
  }

  /// Returns the next event, which must be a placement, skipping reload requests of placements.
  package mutating func nextPlaced() async throws -> [PlacedWidget] {
    while let event = try await events.nextInTime() {
      switch event {
      case .placed(let widgets): return widgets
      case .reload(let request) where request.reason == .placed: continue
      case .attached, .accepted, .rejected, .reload, .language, .timeZone, .heartbeat: throw UnexpectedEvent()
      }
    }
    throw UnexpectedEvent()
  }

  /// Returns the next event, which must be a reload request.
  package mutating func nextReload() async throws -> ReloadRequest {
    guard case .reload(let request) = try await next() else { throw UnexpectedEvent() }
    return request
  }

  package func send(
    _ publish: UInt64, _ widget: Widget?, _ entries: [TimelineEntry], policy: TimelineReloadPolicy? = nil,
    commits: Bool = true
  ) async throws {
    let id = valid { try Self.id(publish) }
    try await call.send(
      .timeline(TimelinePart(publish: id, widget: widget, policy: policy, entries: entries, isCommit: commits)))
  }

  /// Sends a complete timeline and returns the next event, which is its response unless another event came first.
  package mutating func publish(
    _ publish: UInt64, _ widget: Widget, _ entries: [TimelineEntry], policy: TimelineReloadPolicy = .never
  ) async throws -> ProviderEvent {
    try await send(publish, widget, entries, policy: policy)
    return try await next()
  }

  package static func id(_ number: UInt64) throws -> PublishID {
    guard let id = PublishID(number) else { throw UnexpectedEvent() }
    return id
  }
}

/// An unexpected event arrived.
package struct UnexpectedEvent: Error {
  package init() {}
}

extension ProviderEvent {
  /// The acceptance of a timeline without warnings.
  package static func accepted(_ publish: UInt64) -> ProviderEvent {
    .accepted(valid { try ProviderStream.id(publish) }, warnings: [])
  }
}
