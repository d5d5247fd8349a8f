import MarqueeModel
import MarqueeTransport
import MarqueeWire

/// The handler of `WatchActivity`, which streams the changes of devices.
struct ActivityHandlers: Sendable {
  let hub: ActivityHub
  let heartbeats: Heartbeats
  /// The streams. Every change of every device is offered to each of them.
  let quota: CallQuota

  func add(to router: inout ServiceRouter) {
    router.serverStreaming(AdminService.watchActivity, for: .viewer) { request, writer, stream in
      try await quota.run(for: stream.account) {
        try await heartbeats.run(every: request.heartbeat, on: writer, { _ in .heartbeat }) { writer in
          try await watch(request, writer)
        }
      }
    }
  }

  /// Sends changes as they occur. While the client does not read, they wait in the watcher's queue.
  private func watch(
    _ request: WatchActivityRequest, _ writer: ResponseWriter<WatchActivityResponse>
  ) async throws {
    let watcher = ActivityWatcher(request.devices)
    hub.add(watcher)
    defer { hub.remove(watcher) }
    try await writer.send(.started)
    for await _ in watcher.signals {
      for encoded in watcher.dequeue() { try await writer.send(encoded: encoded) }
    }
  }
}
