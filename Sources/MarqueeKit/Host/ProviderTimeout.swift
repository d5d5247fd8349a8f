/// Waits for a provider's result, up to a time limit.
enum ProviderTimeout {
  static let timeMax = Duration.seconds(30)

  /// Returns the first result that `begin` completes with. It may complete immediately or later, on any thread.
  static func result<Value: Sendable>(
    _ name: String, _ begin: (@escaping @Sendable (Result<Value, any Error>) -> Void) -> Void
  ) async throws -> Value {
    let (results, continuation) = AsyncStream.makeStream(
      of: Result<Value, any Error>.self, bufferingPolicy: .bufferingOldest(1))
    begin { result in
      continuation.yield(result)
      continuation.finish()
    }
    let late = Task {
      // The task is cancelled when the result has arrived.
      guard (try? await Task.sleep(for: timeMax)) != nil else { return }
      continuation.yield(.failure(ProviderTimedOut(result: name)))
      continuation.finish()
    }
    defer { late.cancel() }
    for await result in results { return try result.get() }
    throw CancellationError()
  }

  /// Returns the result of `work`, which is cancelled on time-out or when the calling task is cancelled.
  static func result<Value: Sendable>(
    _ name: String, of work: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    var worker: Task<Void, Never>?
    defer { worker?.cancel() }
    return try await result(name) { (complete: @escaping @Sendable (Result<Value, any Error>) -> Void) in
      worker = Task {
        do { complete(.success(try await work())) } catch { complete(.failure(error)) }
      }
    }
  }
}

/// The provider did not return a result within ``ProviderTimeout/timeMax``.
struct ProviderTimedOut: Error, CustomStringConvertible {
  /// The noun for the missing result.
  let result: String
  var description: String { "the provider did not return a \(result) within 30 seconds" }
}
