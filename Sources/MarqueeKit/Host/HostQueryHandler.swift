import MarqueeClient
import MarqueeModel

/// Answers displays' queries from the app's hosted kinds and intents.
struct HostQueryHandler: QueryHandler {
  private let kinds: [String: HostedKind]
  private let intents: [String: HostedIntent]

  /// Creates a handler for kinds, the intents that configure them, and further intents.
  init(_ kinds: [HostedKind], _ intents: [HostedIntent]) {
    self.kinds = Dictionary(kinds.map { ($0.name, $0) }) { first, _ in first }
    self.intents = Dictionary((intents + kinds.compactMap(\.intent)).map { ($0.typeName, $0) }) { first, _ in first }
  }

  func options(_ query: OptionsQuery) async throws -> ParameterOptions {
    try await intent(query.intent, "query.intent.type").options(query)
  }

  func form(_ query: FormQuery) async throws -> ConfigurationForm {
    guard let kind = kinds[query.kind.text] else {
      throw RequestError(.notFound, field: "query.kind", "unknown kind")
    }
    guard let intent = kind.intent else {
      throw RequestError(.failedPrecondition, field: "query.kind", "the kind has no configuration")
    }
    return try await intent.form(query)
  }

  func perform(_ run: IntentInvocation, _ steps: IntentSteps, timeLeft: Duration) async throws -> IntentOutcome {
    guard let perform = try intent(run.intent, "begin.run.intent.type").perform else {
      throw RequestError(
        .failedPrecondition, field: "begin.run.intent.type", "a configuration intent cannot be performed")
    }
    return try await perform(run.intent, steps)
  }

  private func intent(_ intent: Intent, _ field: String) throws(RequestError) -> HostedIntent {
    guard let found = intents[intent.type.text] else {
      throw RequestError(.notFound, field: field, "unknown intent type: \(intent.type)")
    }
    return found
  }
}
