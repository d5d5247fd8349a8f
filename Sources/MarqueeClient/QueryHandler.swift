public import MarqueeModel

/// Handles displays' queries to an app.
///
/// Each query is handled in a task of its own, which is cancelled when the display no longer waits for the response.
/// Thrown errors are sent as the response: ``RPCStatus`` unchanged, ``RequestError`` with its code, and any other error
/// as `UNKNOWN` with its description.
public protocol QueryHandler: Sendable {
  /// Returns the options of an intent parameter.
  func options(_ query: OptionsQuery) async throws -> ParameterOptions

  /// Returns the configuration form of a widget kind, with an objection to the current values if they are invalid.
  func form(_ query: FormQuery) async throws -> ConfigurationForm

  /// Performs an intent, within `timeLeft`.
  func perform(_ invocation: IntentInvocation, _ steps: IntentSteps, timeLeft: Duration) async throws -> IntentOutcome

  /// Continues a suggestion that the user acted on, or a widget that they tapped, in the foreground (rule S8).
  ///
  /// Returns once the app has accepted the continuation, without waiting for the user, and performs no intent. It can
  /// be called more than once for the same tap, if the display repeats its call.
  ///
  /// - Returns: Whether the app handles it. ``ContinuationOutcome/performIntent`` is only valid for an intent.
  func handle(_ continuation: Continuation) async throws -> ContinuationOutcome

  /// Performs a Focus filter (rule S11).
  ///
  /// It is called with the state of every intent type of Focus filters when the provider attaches, unless it performed
  /// the same values last, and with every change. Calls for one type do not overlap, also not across a reconnection:
  /// the next call, with the latest state, waits for the previous one. Defaults to doing nothing.
  ///
  /// - Throws: Any error, which the handler has reported. The state is performed again when the provider attaches
  ///   again.
  func performFocusFilter(_ state: FocusFilterState) async throws
}

extension QueryHandler {
  public func performFocusFilter(_ state: FocusFilterState) async throws {}
}

/// Reports progress and prompts the user while an intent is performed.
public struct IntentSteps: Sendable {
  private let send: @Sendable (IntentStep) async throws -> Void
  private let reply: @Sendable () async throws -> Bool

  /// Creates steps that are sent with `send`. The reply to a prompt is the result of `reply`.
  package init(
    send: @escaping @Sendable (IntentStep) async throws -> Void, reply: @escaping @Sendable () async throws -> Bool
  ) {
    self.send = send
    self.reply = reply
  }

  /// Reports the intent's progress. If reports are faster than the display reads them, only the latest is kept.
  public func report(_ progress: IntentProgress) async throws { try await send(.progress(progress)) }

  /// Prompts the user, and returns whether they agree. One prompt at a time.
  public func ask(_ prompt: IntentPrompt) async throws -> Bool {
    try await send(.prompt(prompt))
    return try await reply()
  }
}

/// A step of an intent that is being performed.
package enum IntentStep: Sendable {
  case progress(IntentProgress)
  case prompt(IntentPrompt)
}
