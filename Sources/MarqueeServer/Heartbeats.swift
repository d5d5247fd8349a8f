import MarqueeModel
import MarqueeRuntime
import MarqueeTransport
import MarqueeWire
import Synchronization

/// Sends heartbeats on streams whose clients request them, so that the clients notice a dead connection.
struct Heartbeats: Sendable {
  /// The clock of the times in heartbeats.
  private let clock: any WallClock
  /// Sleeps in real time.
  private let sleep: @Sendable (Duration) async throws -> Void

  init(clock: any WallClock, sleep: @escaping @Sendable (Duration) async throws -> Void) {
    self.clock = clock
    self.sleep = sleep
  }

  /// Runs `body`, and sends heartbeats when it has sent nothing for the interval.
  ///
  /// No heartbeat is sent before its first message, while the client does not read, or after it has returned.
  ///
  /// - Parameters:
  ///   - interval: The interval, in real time.
  ///   - writer: The writer of the stream.
  ///   - heartbeat: Returns the heartbeat of an instant; `nil` for none.
  ///   - body: Called with the writer to use.
  /// - Returns: The result of `body`.
  func run<Message, Result: Sendable>(
    every interval: HeartbeatInterval, on writer: ResponseWriter<Message>,
    _ heartbeat: @escaping @Sendable (Instant) -> Message?,
    _ body: @escaping @Sendable (ResponseWriter<Message>) async throws -> Result
  ) async throws -> Result {
    guard let time = interval.time else { return try await body(writer) }
    let silence = Silence(lasting: .milliseconds(time.milliseconds))
    return try await withThrowingTaskGroup(of: Result?.self) { group in
      defer { group.cancelAll() }
      group.addTask { try await body(writer.noting { silence.end() }) }
      group.addTask {
        while true {
          try await sleep(silence.timeLeft)
          guard silence.timeLeft <= .zero else { continue }
          try await writer.waitUntilSent()
          guard silence.timeLeft <= .zero else { continue }
          silence.end()
          if let message = heartbeat(clock.now) { try await writer.send(message) }
        }
      }
      while let end = try await group.next() {
        if let result = end { return result }
      }
      throw CancellationError()
    }
  }
}

/// The time since the last message on a stream.
private final class Silence: Sendable {
  private let duration: Duration
  /// When the last message was sent; `nil` before the first one.
  private let lastMessage = Mutex<ContinuousClock.Instant?>(nil)

  init(lasting duration: Duration) { self.duration = duration }

  /// Notes that a message is sent.
  func end() { lastMessage.withLock { $0 = .now } }

  /// The time until the silence has lasted for the duration, not positive if it has. All of the duration before the
  /// first message.
  var timeLeft: Duration {
    guard let last = lastMessage.withLock({ $0 }) else { return duration }
    return duration - last.duration(to: .now)
  }
}
