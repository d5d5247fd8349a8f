/// What a provider is waited for, within bounds.
enum ProviderAnswer {
  /// A provider has not answered within 30 seconds.
  struct Overdue: Error, CustomStringConvertible {
    let what: String
    var description: String { "the provider has not given a \(what) within 30 seconds" }
  }

  static let timeMax = Duration.seconds(30)

  /// What `begin` completes with first. It may do so at once or later, on any thread.
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
      // Cancelled when the answer has come.
      guard (try? await Task.sleep(for: timeMax)) != nil else { return }
      continuation.yield(.failure(Overdue(what: what)))
      continuation.finish()
    }
    defer { late.cancel() }
    for await result in results { return try result.get() }
    throw CancellationError()
  }

  /// What `work` gives; it is cancelled when it is not waited for any more.
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
