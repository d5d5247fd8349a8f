import MarqueeClient
import MarqueeModel
import MarqueeRPC
import MarqueeTransport
import MarqueeWire

/// Intents that the user has apps perform, on streams of either form.
extension SimulatedDisplay {
  /// Has an app perform an intent, in a random form.
  ///
  /// - Returns: Whether the app has performed it.
  @discardableResult
  func perform(by app: AppID) async -> Bool {
    let number = context.ledger.next()
    context.recordSent(intent: number, of: app, on: device)
    let isOnStream = callProtocol.isDuplex && world.once(in: 2)
    return await attempt("have an intent performed") {
      isOnStream ? try await performOnStream(number, by: app) : try await run(number, by: app)
    }
  }

  /// Whether the user cancels an intent now.
  private var cancels: Bool { !context.isWindingDown && world.once(in: 10) }

  private func performOnStream(_ number: Int, by app: AppID) async throws {
    var promptCount = 0
    let outcome = try await display.perform(
      SimulatedIntent.invocation(number), of: app, on: device,
      agree: { _ in
        guard !cancels else { throw CancellationError() }
        promptCount += 1
        return SimulatedIntent.agrees(number, promptCount)
      })
    check(outcome, number, promptCount)
  }

  /// Runs an intent, and replies to its prompts by unary calls.
  private func run(_ number: Int, by app: AppID) async throws {
    let request = RunIntentRequest(device: device, app: app, invocation: SimulatedIntent.invocation(number))
    let call = try await connection.serverStreaming(DisplayService.runIntent, request)
    defer { call.cancel() }
    var (key, promptCount, outcome) = (StreamKey?.none, 0, IntentOutcome?.none)
    for try await update in call.responses {
      if outcome != nil { context.find("\(device): \(update) after the outcome of intent \(number)") }
      switch (update, key) {
      case (.begun(let begun), nil): key = begun
      case (.prompt(_, let prompt), let known?):
        promptCount += 1
        if prompt != promptCount { context.find("\(device): prompt \(prompt) of intent \(number), not \(promptCount)") }
        guard !cancels else { throw CancellationError() }
        await reply(SimulatedIntent.agrees(number, promptCount), to: prompt, of: known)
      case (.outcome(let last), .some): outcome = last
      case (.progress, .some): break
      default: context.find("\(device): \(update) of intent \(number) is not possible")
      }
    }
    guard let outcome else { throw RPCStatus(.internalError, "the call ended without an outcome") }
    check(outcome, number, promptCount)
  }

  /// Replies to a prompt, and retries until the outcome is known.
  private func reply(_ isAgreed: Bool, to prompt: UInt64, of key: StreamKey) async {
    let request = ReplyToPromptRequest(device: device, run: key, prompt: prompt, isAgreed: isAgreed)
    for _ in 0..<3 {
      let isDone = await attempt("reply to a prompt") {
        _ = try await connection.unary(DisplayService.replyToPrompt, request)
      }
      if isDone { return }
      await pause(0...2)
    }
  }

  private func check(_ outcome: IntentOutcome, _ number: Int, _ promptCount: Int) {
    let expected = SimulatedIntent.dialog(of: number, promptCount: promptCount)
    guard outcome.dialog != expected else { return context.intentCount += 1 }
    context.find("\(device): intent \(number) ended with \(outcome.dialog), not \(expected)")
  }
}
