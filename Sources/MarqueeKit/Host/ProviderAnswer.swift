/// Waits for a provider's result, up to a time limit.
enum ProviderAnswer {
  /// The provider did not answer within 30 seconds.
  struct Overdue: Error, CustomStringConvertible {
    let what: String
    var description: String { "the provider did not return a \(what) within 30 seconds" }
  }

  static let timeMax = Duration.seconds(30)

  /// Returns the first result that `begin` completes with. It may complete immediately or later, on any thread.
  static func first<Value: Sendable>(
    _ what: String, _ begin: (@escaping @Sendable (Result<Value, any Error>) -> Void) -> Void
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
      continuation.yield(.failure(Overdue(what: what)))
      continuation.finish()
    }
    defer { late.cancel() }
    for await result in results { return try result.get() }
    throw CancellationError()
  }

  /// Returns the result of `work`, which is cancelled on time-out or when the calling task is cancelled.
  static func first<Value: Sendable>(
    _ what: String, of work: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    var worker: Task<Void, Never>?
    defer { worker?.cancel() }
    return try await first(what) { (complete: @escaping @Sendable (Result<Value, any Error>) -> Void) in
      worker = Task {
        do { complete(.success(try await work())) } catch { complete(.failure(error)) }
      }
    }
  }
}
