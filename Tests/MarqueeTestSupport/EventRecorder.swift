/// Records events, in order, for one waiting task.
package final class EventRecorder<Event: Sendable>: Sendable {
  private let stream: AsyncStream<Event>
  private let continuation: AsyncStream<Event>.Continuation

  package init() {
    (stream, continuation) = AsyncStream.makeStream()
  }

  package func record(_ event: Event) {
    continuation.yield(event)
  }

  /// Waits for the next event; `nil` if the task is cancelled.
  package func next() async -> Event? {
    var iterator = stream.makeAsyncIterator()
    return await iterator.next()
  }
}

extension EventRecorder<Void> {
  package func record() { record(()) }

  /// Waits for `count` further events, or until the task is cancelled.
  package func wait(_ count: Int = 1) async {
    for _ in 0..<count {
      guard await next() != nil else { return }
    }
  }
}
