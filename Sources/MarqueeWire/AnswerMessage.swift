internal import CMarqueeProtos
public import MarqueeModel
public import MarqueeRPC

/// What displays ask of an app, as it comes down a stream of questions.
public enum Question: Hashable, Sendable {
  /// What is asked.
  public enum Subject: Hashable, Sendable {
    /// What a parameter can be set to.
    case options(OptionsQuery)
    /// How widgets of a kind are configured.
    case form(FormQuery)
    /// To perform an intent.
    case run(IntentRun)
  }

  /// The stream is attached.
  case attached
  /// A question by its number on the stream, and how long its answer is waited for.
  case asked(UInt64, Subject, timeLeft: TimeSpan)
  /// The person's reply to the latest prompt of the run of that number.
  case reply(UInt64, isAgreed: Bool)
  /// Nobody waits for the answer of that number any more.
  case cancelled(UInt64)
}

/// What an app answers: any number of steps, and then one answer that is none.
public enum Answer: Hashable, Sendable {
  /// What a parameter can be set to.
  case options(ParameterOptions)
  /// How widgets of a kind are configured.
  case form(ConfigurationForm)
  /// A step of an intent: how far it is.
  case progress(IntentProgress)
  /// A step of an intent: it asks the person, and waits for the reply.
  case prompt(IntentPrompt)
  /// The intent was performed.
  case outcome(IntentOutcome)
  /// The app cannot answer; a code other than `OK`.
  case refused(StatusCode, message: String)
}

/// What an app sends up a stream of questions.
public enum AnswerMessage: Hashable, Sendable {
  /// The stream speaks for an app on a device; the first message.
  case attach(DeviceID, AppID)
  /// An answer to the question of that number, or a step towards one.
  case answer(UInt64, Answer)
}

extension Question: WireValue {
  init(_ message: Marquee__V1__Question) throws(Refusal) {
    let timeLeft = TimeSpan(milliseconds: message.time_left_ms)
    switch message.question_case {
    case MARQUEE__V1__QUESTION__QUESTION_ATTACHED: self = .attached
    case MARQUEE__V1__QUESTION__QUESTION_OPTIONS:
      self = .asked(message.number, .options(try Field.required(message.options, "options")), timeLeft: timeLeft)
    case MARQUEE__V1__QUESTION__QUESTION_FORM:
      self = .asked(message.number, .form(try Field.required(message.form, "form")), timeLeft: timeLeft)
    case MARQUEE__V1__QUESTION__QUESTION_RUN:
      self = .asked(message.number, .run(try Field.required(message.run, "run")), timeLeft: timeLeft)
    case MARQUEE__V1__QUESTION__QUESTION_REPLY: self = .reply(message.number, isAgreed: message.reply != 0)
    case MARQUEE__V1__QUESTION__QUESTION_CANCELLED:
      try Field.selector(message.cancelled, "cancelled")
      self = .cancelled(message.number)
    default: throw Field.absent("question")
    }
  }

  func fill(_ message: inout Marquee__V1__Question, _ scratch: EncodeScratch) {
    switch self {
    case .attached:
      message.question_case = MARQUEE__V1__QUESTION__QUESTION_ATTACHED
      message.attached = scratch.build { _ in }
    case .asked(let number, let subject, let timeLeft):
      message.number = number
      message.time_left_ms = timeLeft.milliseconds
      subject.fill(&message, scratch)
    case .reply(let number, let isAgreed):
      message.number = number
      message.question_case = MARQUEE__V1__QUESTION__QUESTION_REPLY
      message.reply = isAgreed ? 1 : 0
    case .cancelled(let number):
      message.number = number
      message.question_case = MARQUEE__V1__QUESTION__QUESTION_CANCELLED
      message.cancelled = 1
    }
  }
}

extension Question.Subject {
  fileprivate func fill(_ message: inout Marquee__V1__Question, _ scratch: EncodeScratch) {
    switch self {
    case .options(let query):
      message.question_case = MARQUEE__V1__QUESTION__QUESTION_OPTIONS
      message.options = scratch.message(query)
    case .form(let query):
      message.question_case = MARQUEE__V1__QUESTION__QUESTION_FORM
      message.form = scratch.message(query)
    case .run(let run):
      message.question_case = MARQUEE__V1__QUESTION__QUESTION_RUN
      message.run = scratch.message(run)
    }
  }
}

extension AnswerMessage: WireValue {
  init(_ message: Marquee__V1__AnswerMessage) throws(Refusal) {
    switch message.message_case {
    case MARQUEE__V1__ANSWER_MESSAGE__MESSAGE_ATTACH:
      let attach = message.attach.pointee
      self = try Field.within(
        "attach", .attach(Field.identifier(attach.device, "device"), Field.identifier(attach.app, "app")))
    case MARQUEE__V1__ANSWER_MESSAGE__MESSAGE_ANSWER:
      let answer = message.answer.pointee
      self = .answer(answer.number, try Self.within("answer", answer))
    default: throw Field.absent("message")
    }
  }

  /// An answer that cannot be read is one that the app cannot give: it concerns its question, and not the stream.
  private static func within(_ name: String, _ message: Marquee__V1__Answer) throws(Refusal) -> Answer {
    do {
      return try Answer(message)
    } catch {
      return .refused(.internalError, message: "the app's answer cannot be read: \(error.within(name))")
    }
  }

  func fill(_ message: inout Marquee__V1__AnswerMessage, _ scratch: EncodeScratch) {
    switch self {
    case .attach(let device, let app):
      message.message_case = MARQUEE__V1__ANSWER_MESSAGE__MESSAGE_ATTACH
      message.attach = scratch.build {
        $0.device = scratch.text(device)
        $0.app = scratch.text(app)
      }
    case .answer(let number, let answer):
      message.message_case = MARQUEE__V1__ANSWER_MESSAGE__MESSAGE_ANSWER
      message.answer = scratch.build {
        answer.fill(&$0, scratch)
        $0.number = number
      }
    }
  }
}

extension Answer {
  fileprivate init(_ message: Marquee__V1__Answer) throws(Refusal) {
    switch message.answer_case {
    case MARQUEE__V1__ANSWER__ANSWER_OPTIONS: self = .options(try Field.required(message.options, "options"))
    case MARQUEE__V1__ANSWER__ANSWER_FORM: self = .form(try Field.required(message.form, "form"))
    case MARQUEE__V1__ANSWER__ANSWER_PROGRESS: self = .progress(try Field.required(message.progress, "progress"))
    case MARQUEE__V1__ANSWER__ANSWER_PROMPT: self = .prompt(try Field.required(message.prompt, "prompt"))
    case MARQUEE__V1__ANSWER__ANSWER_OUTCOME: self = .outcome(try Field.required(message.outcome, "outcome"))
    case MARQUEE__V1__ANSWER__ANSWER_REFUSED:
      let refused = message.refused.pointee
      guard refused.code != 0 else {
        throw Refusal(.invalidArgument, field: "refused.code", "0 refuses nothing")
      }
      self = .refused(
        StatusCode(rawValue: refused.code),
        message: try Field.within("refused", Field.text(refused.message, "message")))
    default: throw Field.absent("answer")
    }
  }

  fileprivate func fill(_ message: inout Marquee__V1__Answer, _ scratch: EncodeScratch) {
    switch self {
    case .options(let options):
      message.answer_case = MARQUEE__V1__ANSWER__ANSWER_OPTIONS
      message.options = scratch.message(options)
    case .form(let form):
      message.answer_case = MARQUEE__V1__ANSWER__ANSWER_FORM
      message.form = scratch.message(form)
    case .progress(let progress):
      message.answer_case = MARQUEE__V1__ANSWER__ANSWER_PROGRESS
      message.progress = scratch.message(progress)
    case .prompt(let prompt):
      message.answer_case = MARQUEE__V1__ANSWER__ANSWER_PROMPT
      message.prompt = scratch.message(prompt)
    case .outcome(let outcome):
      message.answer_case = MARQUEE__V1__ANSWER__ANSWER_OUTCOME
      message.outcome = scratch.message(outcome)
    case .refused(let code, let reason):
      precondition(code != .ok, "a refusal with the code OK")
      message.answer_case = MARQUEE__V1__ANSWER__ANSWER_REFUSED
      message.refused = scratch.build {
        $0.code = code.rawValue
        $0.message = scratch.text(reason)
      }
    }
  }
}
