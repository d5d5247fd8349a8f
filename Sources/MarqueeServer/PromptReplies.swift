import MarqueeRPC
import MarqueeTransport
import MarqueeWire
import Synchronization

/// Forwards the user's replies to the prompts of an intent, one per prompt.
final class PromptReplies: Sendable {
  private struct State {
    /// The number of prompts that were sent, which is the number of the latest one.
    var promptCount: UInt64 = 0
    /// Whether the latest prompt is open.
    var isPrompted = false
    var isClosed = false
  }

  private let query: OpenQuery
  private let state = Mutex(State())

  init(_ query: OpenQuery) { self.query = query }

  /// Expects a reply to a prompt. If the display has closed its side of the stream, the prompt is declined.
  ///
  /// - Returns: The prompt's number.
  func promptSent() -> UInt64 {
    let (number, isClosed) = state.withLock { state in
      state.promptCount += 1
      state.isPrompted = !state.isClosed
      return (state.promptCount, state.isClosed)
    }
    if isClosed { query.reply(isAgreed: false) }
    return number
  }

  /// Forwards a reply to the latest prompt, or drops it if the app has answered meanwhile, so that the stream can end
  /// with the answer.
  ///
  /// - Throws: `FAILED_PRECONDITION` if it is not open.
  func reply(isAgreed: Bool) throws(RPCStatus) {
    guard state.withLock({ $0.isPrompted.consume() }) else {
      throw RPCStatus(.failedPrecondition, field: "reply", "no prompt is open")
    }
    query.reply(isAgreed: isAgreed)
  }

  /// Forwards a reply to the prompt with a number.
  ///
  /// - Throws: `FAILED_PRECONDITION` if it is not open, or the app has answered meanwhile.
  func reply(isAgreed: Bool, to number: UInt64) throws(RPCStatus) {
    let isOpen = state.withLock { state in
      guard state.promptCount == number else { return false }
      return state.isPrompted.consume()
    }
    guard isOpen, query.reply(isAgreed: isAgreed) else {
      throw RPCStatus(
        .failedPrecondition, field: "prompt",
        "prompt \(number) is not open; only the latest prompt can be replied to, once")
    }
  }

  /// Forwards the display's replies until it closes its side of the stream.
  func forward(_ messages: MessageStream<PerformIntentRequest>) async throws {
    for try await message in messages {
      guard case .reply(let isAgreed) = message else {
        throw RPCStatus(.failedPrecondition, "the intent has already begun")
      }
      try reply(isAgreed: isAgreed)
    }
    let isPrompted = state.withLock { state in
      state.isClosed = true
      return state.isPrompted.consume()
    }
    if isPrompted { query.reply(isAgreed: false) }
  }
}

extension Bool {
  /// Returns the value and sets it to `false`.
  fileprivate mutating func consume() -> Bool {
    defer { self = false }
    return self
  }
}
