import MarqueeRPC
import NIOCore

/// A value that an event loop provides, once, to one waiting task. Later completions are ignored.
///
/// `@unchecked Sendable`: all state is accessed only on the loop.
final class LoopPromise<Value: Sendable>: @unchecked Sendable {
  private let loop: any EventLoop
  private var result: Result<Value, any Error>?
  /// Resumed exactly once: `complete` sets `result` and ignores later calls. Unchecked for performance.
  private var continuation: UnsafeContinuation<Value, any Error>?

  init(on loop: any EventLoop) {
    self.loop = loop
  }

  /// Provides the value. On the loop.
  func complete(_ result: Result<Value, any Error>) {
    loop.assertInEventLoop()
    guard self.result == nil else { return }
    self.result = result
    continuation?.resume(with: result)
    continuation = nil
  }

  /// Waits for the value.
  ///
  /// - Throws: The promise's error, or `CancellationError` if the waiting task is cancelled first.
  func value() async throws -> Value {
    if loop.inEventLoop, let result { return try result.get() }
    return try await withTaskCancellationHandler {
      try await withUnsafeThrowingContinuation { continuation in
        loop.run {
          if let result = self.result {
            continuation.resume(with: result)
          } else {
            precondition(self.continuation == nil, "two tasks are waiting for one promise")
            self.continuation = continuation
          }
        }
      }
    } onCancel: {
      loop.run { self.complete(.failure(CancellationError())) }
    }
  }
}
