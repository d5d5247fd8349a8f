import MarqueeModel
import MarqueeRPC
import MarqueeTransport
import MarqueeWire
import Synchronization

/// The streams of providers that answer what displays ask, by device and app. Nothing that is asked is kept: who asks
/// waits for the answer, and asks again if there is none.
final class QuestionHub: Sendable {
  private struct Key: Hashable {
    let device: DeviceID
    let app: AppID
  }

  private let answerers = Mutex<[Key: [Answerer]]>([:])

  func attach(_ answerer: Answerer, app: AppID, on device: DeviceID) {
    answerers.withLock { $0[Key(device: device, app: app), default: []].append(answerer) }
  }

  /// Takes a stream away, and ends what it was asked.
  func detach(_ answerer: Answerer, app: AppID, from device: DeviceID) {
    let key = Key(device: device, app: app)
    answerers.withLock { all in
      all[key]?.removeAll { $0 === answerer }
      if all[key]?.isEmpty == true { all[key] = nil }
    }
    answerer.end()
  }

  /// Asks the app, on the stream that was attached last. Who asked closes the question when its answer is not waited
  /// for any more. Throws `UNAVAILABLE` where nobody answers for the app, and `RESOURCE_EXHAUSTED` when too much is
  /// asked at once.
  func ask(
    _ subject: Question.Subject, of app: AppID, on device: DeviceID, timeLeft: Duration
  ) throws(RPCStatus) -> OpenQuestion {
    guard let answerer = answerers.withLock({ $0[Key(device: device, app: app)]?.last }) else {
      throw RPCStatus(.unavailable, "no provider of \(app) answers on this device")
    }
    return try answerer.ask(subject, timeLeft: timeLeft)
  }
}

/// One provider's stream that answers.
final class Answerer: Sendable {
  /// Questions on one stream that wait for an answer, at most.
  static let questionCountMax = 64

  private struct State {
    var lastNumber: UInt64 = 0
    var open: [UInt64: OpenQuestion] = [:]
    var isOver = false
  }

  private let writer: ResponseWriter<Question>
  private let stream: OpenStream
  private let state = Mutex(State())

  init(_ writer: ResponseWriter<Question>, _ stream: OpenStream) {
    self.writer = writer
    self.stream = stream
  }

  fileprivate func ask(_ subject: Question.Subject, timeLeft: Duration) throws(RPCStatus) -> OpenQuestion {
    let question = try state.withLock { (state) throws(RPCStatus) in
      guard !state.isOver else { throw Self.gone }
      guard state.open.count < Self.questionCountMax else {
        throw RPCStatus(
          .resourceExhausted, "question-count-max is \(Self.questionCountMax), and the provider has answered none")
      }
      state.lastNumber += 1
      let question = OpenQuestion(state.lastNumber, self)
      state.open[question.number] = question
      return question
    }
    send(.asked(question.number, subject, timeLeft: TimeSpan(timeLeft)))
    return question
  }

  /// Hands an answer to who waits for it; one that comes too late is let be. Throws when nothing of that number was
  /// asked.
  func take(_ answer: Answer, to number: UInt64) throws(RPCStatus) {
    let question = try state.withLock { (state) throws(RPCStatus) -> OpenQuestion? in
      guard (1...max(1, state.lastNumber)).contains(number), state.lastNumber > 0 else {
        throw RPCStatus(.invalidArgument, "answer.number: \(number), but nothing of that number was asked")
      }
      return answer.isStep ? state.open[number] : state.open.removeValue(forKey: number)
    }
    question?.take(answer)
  }

  fileprivate func reply(to number: UInt64, isAgreed: Bool) { send(.reply(number, isAgreed: isAgreed)) }

  /// Forgets a question; the provider hears of it when it has not answered.
  fileprivate func close(_ number: UInt64) {
    guard state.withLock({ $0.open.removeValue(forKey: number) }) != nil else { return }
    send(.cancelled(number))
  }

  /// Ends every question: the stream is gone.
  fileprivate func end() {
    let open = state.withLock { state in
      state.isOver = true
      defer { state.open = [:] }
      return state.open
    }
    for question in open.values { question.take(.refused(Self.gone.code, message: Self.gone.message)) }
  }

  private func send(_ question: Question) {
    guard !writer.offer(question) else { return }
    stream.end(
      RPCStatus(.resourceExhausted, "stream-backlog-size-max is passed: the provider does not read; attach again"))
  }

  private static var gone: RPCStatus { RPCStatus(.unavailable, "the provider went away before it answered") }
}

/// Something that was asked, until it is answered or closed.
final class OpenQuestion: Sendable {
  private struct Mail {
    /// The latest; earlier ones are of no use.
    var progress: IntentProgress?
    var prompt: IntentPrompt?
    var answer: Answer?

    mutating func next() -> Answer? {
      if let progress = progress.take() { return .progress(progress) }
      if let prompt = prompt.take() { return .prompt(prompt) }
      return answer.take()
    }
  }

  let number: UInt64
  private let answerer: Answerer
  private let mail = Mutex(Mail())
  private let signals: AsyncStream<Void>
  private let signal: AsyncStream<Void>.Continuation

  fileprivate init(_ number: UInt64, _ answerer: Answerer) {
    self.number = number
    self.answerer = answerer
    (signals, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  fileprivate func take(_ answer: Answer) {
    mail.withLock { mail in
      switch answer {
      case .progress(let progress): mail.progress = progress
      case .prompt(let prompt): mail.prompt = prompt
      default: mail.answer = answer
      }
    }
    signal.yield()
  }

  /// Hands steps to `step` as they come, and gives the answer that is none. Throws what the provider refuses with, and
  /// `CancellationError` when the task is cancelled. To be called once.
  func answer(_ step: (Answer) async throws -> Void = { _ in }) async throws -> Answer {
    for await _ in signals {
      while let answer = mail.withLock({ $0.next() }) {
        if case .refused(let code, let message) = answer { throw RPCStatus(code, message) }
        guard answer.isStep else { return answer }
        try await step(answer)
      }
    }
    throw CancellationError()
  }

  /// Tells the provider what the person replied to its prompt.
  func reply(isAgreed: Bool) { answerer.reply(to: number, isAgreed: isAgreed) }

  /// Waits for no answer any more.
  func close() { answerer.close(number) }
}

extension Answer {
  /// Whether more is to come.
  fileprivate var isStep: Bool {
    switch self {
    case .progress, .prompt: true
    case .options, .form, .outcome, .refused: false
    }
  }
}

extension TimeSpan {
  /// Rounded down to milliseconds, and not below zero.
  fileprivate init(_ duration: Duration) {
    self.init(milliseconds: max(0, duration.nanoseconds / 1_000_000))
  }
}
