/// The maximum time for which a test waits for one event, generous for a busy machine.
private let waitTimeMax = Duration.seconds(30)

/// An awaited event did not occur within the time limit.
package struct TimeLimitExceeded: Error, CustomStringConvertible {
  package let description: String
}

/// Runs `body`, which is cancelled if it takes longer than a test waits.
///
/// The time limit of a suite would end the test too, but only after minutes, and without the name of the event.
///
/// - Parameters:
///   - event: The awaited event, for the error message.
///   - body: The operation that waits for the event. It must respond to cancellation.
/// - Throws: ``TimeLimitExceeded``, or the error of `body`.
package func withTimeLimit<Result: Sendable>(
  waitingFor event: String, _ body: @escaping @Sendable () async throws -> Result
) async throws -> Result {
  try await withThrowingTaskGroup(of: Result?.self) { group in
    defer { group.cancelAll() }
    group.addTask { try await body() }
    group.addTask {
      try await Task.sleep(for: waitTimeMax)
      return nil
    }
    guard let result = try await group.next() ?? nil else {
      throw TimeLimitExceeded(description: "waited \(waitTimeMax) for \(event)")
    }
    return result
  }
}

/// Waits until a condition holds whose changes cannot be observed, such as that a stream of another client is attached.
///
/// - Parameters:
///   - event: The event after which the condition holds, for the error message.
///   - condition: The condition.
/// - Throws: ``TimeLimitExceeded``, or the error of `condition`.
package func wait(for event: String, until condition: @escaping @Sendable () async throws -> Bool) async throws {
  try await withTimeLimit(waitingFor: event) {
    while try await !condition() { try await Task.sleep(for: .milliseconds(5)) }
  }
}

extension AsyncIteratorProtocol where Self: Sendable, Element: Sendable {
  /// Returns the next element, or `nil` after the last one.
  ///
  /// - Throws: ``TimeLimitExceeded`` if it does not arrive in time, or the error of the sequence.
  package mutating func nextInTime() async throws -> Element? {
    let (element, rest) = try await withTimeLimit(waitingFor: "the next \(Element.self)") { [self] in
      var iterator = self
      let element = try await iterator.next()
      return (element, iterator)
    }
    self = rest
    return element
  }
}
