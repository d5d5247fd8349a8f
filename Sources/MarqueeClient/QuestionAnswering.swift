public import MarqueeModel

/// Answers what displays ask of an app. Each question is answered in a task of its own, which is cancelled when nobody
/// waits for the answer any more.
///
/// What is thrown is the answer, too: ``RPCStatus`` as it is, ``Refusal`` with its code, anything else as `UNKNOWN`
/// with its description.
public protocol QuestionAnswering: Sendable {
  /// What a parameter can be set to.
  func options(_ query: OptionsQuery) async throws -> ParameterOptions

  /// How widgets of a kind are configured, and what is wrong with what is set.
  func form(_ query: FormQuery) async throws -> ConfigurationForm

  /// Performs an intent, within `timeLeft`.
  func perform(_ run: IntentRun, _ steps: IntentSteps, timeLeft: Duration) async throws -> IntentOutcome
}

/// What an intent tells and asks while it is performed.
public struct IntentSteps: Sendable {
  let send: @Sendable (IntentStep) async throws -> Void
  let reply: @Sendable () async throws -> Bool

  /// Tells how far the intent is. Of what is told faster than it can be read, the latest stays.
  public func report(_ progress: IntentProgress) async throws { try await send(.progress(progress)) }

  /// Asks the person, and gives whether they agree. One prompt at a time.
  public func ask(_ prompt: IntentPrompt) async throws -> Bool {
    try await send(.prompt(prompt))
    return try await reply()
  }
}

enum IntentStep: Sendable {
  case progress(IntentProgress)
  case prompt(IntentPrompt)
}
