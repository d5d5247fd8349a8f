import MarqueeModel
import MarqueeRuntime
import MarqueeScheduler
import MarqueeTransport
import MarqueeWire

/// The handler of the method that streams the events of widgets to their apps (rule W7).
struct WidgetEventHandlers: Sendable {
  let runtime: Runtime
  let hub: WidgetEventHub
  let limits: Limits
  let heartbeats: Heartbeats

  func add(to router: inout ServiceRouter) {
    router.serverStreaming(ProviderService.watchWidgetEvents, for: .provider) { request, writer, stream in
      try await heartbeats.run(every: request.heartbeat, on: writer, { _ in .heartbeat }) { writer in
        try await watch(request, writer, stream)
      }
    }
  }

  /// Sends events as they become due. While the provider does not read, they are merged in the watcher's queue.
  private func watch(
    _ request: WatchWidgetEventsRequest, _ writer: ResponseWriter<WatchWidgetEventsResponse>, _ stream: OpenStream
  ) async throws {
    guard request.kinds.count <= limits.kindCountMax else {
      throw RequestError.over(
        limit: "kind-count-max", maximum: limits.kindCountMax, count: request.kinds.count, field: "kinds")
    }
    let watcher = WidgetEventWatcher(
      request, stream, tapSizeMax: writer.backlogSizeMax, removedSizeMax: limits.descriptionSizeMax)
    defer { hub.remove(watcher, of: request.device) }
    let kindCount = try await runtime.observe(request.device) { device in
      try hub.add(watcher, observing: device)
      return device.registeredKinds.count { $0.kind.app == request.app }
    }
    try await writer.send(.attached(kindCount: kindCount))
    for await _ in watcher.signals {
      while true {
        try await writer.waitUntilSent()
        let events = hub.dequeue(watcher)
        guard !events.isEmpty else { break }
        for event in events { try await writer.send(.event(event, on: request.device)) }
      }
    }
  }
}
