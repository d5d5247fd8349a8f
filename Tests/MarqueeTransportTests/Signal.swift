/// Counts events for one waiting task.
final class Signal: Sendable {
  private let stream: AsyncStream<Void>
  private let continuation: AsyncStream<Void>.Continuation

  init() {
    (stream, continuation) = AsyncStream.makeStream()
  }

  func send() { continuation.yield() }

  /// Waits for `count` further events.
  func wait(_ count: Int = 1) async {
    var left = count
    for await _ in stream {
      left -= 1
      if left == 0 { return }
    }
  }
}
