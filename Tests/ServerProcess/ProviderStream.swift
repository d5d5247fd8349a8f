import MarqueeClient
import MarqueeModel
import MarqueeRPC
import MarqueeTransport
import MarqueeWire

/// A provider's stream, message by message: for what ``ProviderClient`` does not let happen.
package struct ProviderStream {
  package let call: ClientCall<ProviderMessage, ProviderEvent>
  // A client that nobody holds closes its connection after a while.
  private let connection: RPCClient
  private var events: MessageStream<ProviderEvent>.AsyncIterator

  /// Opens a stream and attaches it.
  package init(_ connection: RPCClient, device: DeviceID = Home.device, app: AppID) async throws {
    self.connection = connection
    call = try await connection.bidirectional(ProviderService.provide)
    events = call.responses.makeAsyncIterator()
    try await call.send(.attach(device, app))
    guard try await next() == .attached else { throw UnexpectedEvent() }
  }

  /// The next event; throws the stream's status at its end. Warnings are left out, and so is where widgets are placed:
  /// what these are is tested apart.
  package mutating func next() async throws -> ProviderEvent {
    while let event = try await events.next() {
      switch event {
      case .placed: continue
      case .accepted(let id, _): return .accepted(id, warnings: [])
      case .attached, .refused, .reload: return event
      }
    }
    throw UnexpectedEvent()
  }

  /// The next event, which must be of widgets that are placed.
  package mutating func nextPlaced() async throws -> [PlacedWidget] {
    guard case .placed(let widgets) = try await events.next() else { throw UnexpectedEvent() }
    return widgets
  }

  /// The next event, which must be a reload request.
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

  /// Sends a whole timeline and gives the next event, which is its answer unless something else came first.
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

/// Something else came than what was waited for.
package struct UnexpectedEvent: Error {
  package init() {}
}

extension ProviderEvent {
  /// The acceptance of a timeline without warnings.
  package static func accepted(_ publish: UInt64) -> ProviderEvent {
    .accepted(valid { try ProviderStream.id(publish) }, warnings: [])
  }
}
