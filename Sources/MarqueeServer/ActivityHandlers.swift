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
    router.serverStreamingOnAllNodes(AdminService.watchActivity, for: .viewer) { request, writer, stream, others in
      try await quota.run(for: stream.account) {
        try await heartbeats.run(every: request.heartbeat, on: writer, { _ in .heartbeat }) { writer in
          try await watch(request, writer, others)
        }
      }
    }
  }

  /// Sends changes as they occur, also those at other nodes of a cluster. While the client does not read, they wait in
  /// the watcher's queue.
  private func watch(
    _ request: WatchActivityRequest, _ writer: ResponseWriter<WatchActivityResponse>,
    _ others: ServiceRouter.FollowOthers<WatchActivityRequest, WatchActivityResponse>?
  ) async throws {
    let watcher = ActivityWatcher(request.devices)
    hub.add(watcher)
    defer { hub.remove(watcher) }
    guard let others else { return try await send(watcher, writer) }
    let (isStarted, start) = AsyncStream<Never>.makeStream()
    let remoteRequest = try WatchActivityRequest(devices: request.devices)
    try await withThrowingTaskGroup { group in
      defer { group.cancelAll() }
      group.addTask {
        try await others(remoteRequest, { start.finish() }) { response in watcher.offer(response) }
      }
      group.addTask {
        for await _ in isStarted {}
        // The loop ends, too, if another node cannot be followed: then the stream has not started.
        try Task.checkCancellation()
        try await send(watcher, writer)
      }
      try await group.next()
    }
  }

  private func send(_ watcher: ActivityWatcher, _ writer: ResponseWriter<WatchActivityResponse>) async throws {
    try await writer.send(.started)
    for await _ in watcher.signals {
      for encoded in watcher.dequeue() { try await writer.send(encoded: encoded) }
    }
  }
}
