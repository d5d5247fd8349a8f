import MarqueeModel
import MarqueeRPC
import MarqueeTransport
import MarqueeWire
import Synchronization

/// Answers the questions of one stream, side by side.
final class QuestionDesk: Sendable {
  private struct Work {
    let task: Task<Void, Never>
    let replies: AsyncStream<Bool>.Continuation
  }

  private let answering: any QuestionAnswering
  private let open = Mutex<[UInt64: Work]>([:])

  init(_ answering: any QuestionAnswering) { self.answering = answering }

  /// Answers until the stream ends; what is being answered then is cancelled.
  func answer(on connection: RPCClient, _ device: DeviceID, _ app: AppID) async throws {
    let options = CallOptions(waitsForReady: true)
    let call = try await connection.bidirectional(ProviderService.answerQuestions, options: options)
    defer {
      for work in open.withLock({ $0.values }) { work.task.cancel() }
      call.cancel()
    }
    try await call.send(.attach(device, app))
    for try await question in call.responses {
      switch question {
      case .attached: break
      case .asked(let number, let subject, let timeLeft): begin(number, subject, timeLeft, call)
      case .reply(let number, let isAgreed): open.withLock { _ = $0[number]?.replies.yield(isAgreed) }
      case .cancelled(let number): open.withLock { $0[number]?.task.cancel() }
      }
    }
  }

  private func begin(
    _ number: UInt64, _ subject: Question.Subject, _ timeLeft: TimeSpan, _ call: ClientCall<AnswerMessage, Question>
  ) {
    let (replies, continuation) = AsyncStream.makeStream(of: Bool.self, bufferingPolicy: .bufferingNewest(1))
    open.withLock { open in
      // The task forgets itself, and cannot before it is noted.
      let task = Task {
        let answer = await answer(number, subject, .milliseconds(timeLeft.milliseconds), replies, call)
        self.open.withLock { $0[number] = nil }
        // Where the stream has ended, nobody waits.
        if !Task.isCancelled { try? await call.send(.answer(number, answer)) }
      }
      open[number] = Work(task: task, replies: continuation)
    }
  }

  private func answer(
    _ number: UInt64, _ subject: Question.Subject, _ timeLeft: Duration, _ replies: AsyncStream<Bool>,
    _ call: ClientCall<AnswerMessage, Question>
  ) async -> Answer {
    do {
      switch subject {
      case .options(let query): return .options(try await answering.options(query))
      case .form(let query): return .form(try await answering.form(query))
      case .run(let run):
        let steps = IntentSteps { step in
          switch step {
          case .progress(let progress): try await call.send(.answer(number, .progress(progress)))
          case .prompt(let prompt): try await call.send(.answer(number, .prompt(prompt)))
          }
        } reply: {
          for await isAgreed in replies { return isAgreed }
          throw CancellationError()
        }
        return .outcome(try await answering.perform(run, steps, timeLeft: timeLeft))
      }
    } catch {
      let status = RPCStatus(answering: error)
      return .refused(status.code, message: status.message)
    }
  }
}

extension RPCStatus {
  /// What an app says that cannot answer.
  fileprivate init(answering error: any Error) {
    switch error {
    case let status as RPCStatus where status.code != .ok: self = status
    case let refusal as Refusal: self.init(refusal)
    case is CancellationError: self.init(.cancelled, "the app has stopped")
    default: self.init(.unknown, "\(error)")
    }
  }
}
