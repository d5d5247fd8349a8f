import MarqueeClient
import MarqueeModel

/// Answers what displays ask of an app with what its kinds and intents say.
struct HostAnswers: QuestionAnswering {
  private let kinds: [String: HostedKind]
  private let intents: [String: HostedIntent]

  /// Answers for kinds, the intents that configure them, and further intents.
  init(_ kinds: [HostedKind], _ intents: [HostedIntent]) {
    self.kinds = Dictionary(kinds.map { ($0.name, $0) }) { first, _ in first }
    self.intents = Dictionary((intents + kinds.compactMap(\.intent)).map { ($0.typeName, $0) }) { first, _ in first }
  }

  func options(_ query: OptionsQuery) async throws -> ParameterOptions {
    try await intent(query.intent, "query.intent.type").options(query)
  }

  func form(_ query: FormQuery) async throws -> ConfigurationForm {
    guard let kind = kinds[query.kind.text] else {
      throw Refusal(.notFound, field: "query.kind", "the app has no kind of this name")
    }
    guard let intent = kind.intent else {
      throw Refusal(.failedPrecondition, field: "query.kind", "widgets of the kind are not configured")
    }
    return try await intent.form(query.configuration, WidgetFamily(query.family))
  }

  func perform(_ run: IntentRun, _ steps: IntentSteps, timeLeft: Duration) async throws -> IntentOutcome {
    guard let perform = try intent(run.intent, "begin.run.intent.type").perform else {
      throw Refusal(.failedPrecondition, field: "begin.run.intent.type", "it configures widgets, and does nothing")
    }
    return try await perform(run.intent, steps)
  }

  private func intent(_ intent: Intent, _ field: String) throws(Refusal) -> HostedIntent {
    guard let found = intents[intent.type.text] else {
      throw Refusal(.notFound, field: field, "the app has no intent type \(intent.type)")
    }
    return found
  }
}
