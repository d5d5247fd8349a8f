import MarqueeRPC
import NIOCore

/// A value that one task waits for and an event loop provides, once; later attempts are ignored.
///
/// `@unchecked Sendable`: all state is touched on the loop alone.
final class LoopPromise<Value: Sendable>: @unchecked Sendable {
  private let loop: any EventLoop
  private var result: Result<Value, any Error>?
  /// Resumed exactly once: `complete` sets `result` first and takes only the first one. Unchecked, since every call
  /// passes here.
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

  /// Waits for the value; `CancellationError` when the waiting task is cancelled first.
  func value() async throws -> Value {
    if loop.inEventLoop, let result { return try result.get() }
    return try await withTaskCancellationHandler {
      try await withUnsafeThrowingContinuation { continuation in
        loop.run {
          if let result = self.result {
            continuation.resume(with: result)
          } else {
            precondition(self.continuation == nil, "two tasks wait for one value")
            self.continuation = continuation
          }
        }
      }
    } onCancel: {
      loop.run { self.complete(.failure(CancellationError())) }
    }
  }
}
