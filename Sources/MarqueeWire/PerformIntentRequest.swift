internal import CMarqueeProtos
public import MarqueeModel
internal import MarqueeRPC

/// A message from a display to perform an intent.
public enum PerformIntentRequest: Hashable, Sendable {
  /// The intent, the device and the app; the first message.
  case begin(DeviceID, AppID, IntentInvocation)
  /// The user's reply to the latest prompt.
  case reply(isAgreed: Bool)
}

/// An update of an intent that is being performed.
public enum PerformIntentUpdate: Hashable, Sendable {
  /// The intent's progress.
  case progress(IntentProgress)
  /// A prompt for the user, which waits for the reply, and its number in the run, counted from 1.
  case prompt(IntentPrompt, number: UInt64)
  /// The outcome; the last update.
  case outcome(IntentOutcome)
  /// The key of a run whose prompts are replied to by unary calls; its first update.
  case begun(StreamKey)
  /// Nothing was sent for the time that the display requested.
  case heartbeat
}

extension PerformIntentRequest: WireValue {
  init(_ message: Marquee__V1__PerformIntentRequest) throws(RequestError) {
    switch message.message_case {
    case MARQUEE__V1__PERFORM_INTENT_REQUEST__MESSAGE_BEGIN:
      let begin = message.begin.pointee
      self = try Field.within(
        "begin",
        .begin(
          Field.identifier(begin.device, "device"), Field.identifier(begin.app, "app"),
          Field.required(begin.run, "run")))
    case MARQUEE__V1__PERFORM_INTENT_REQUEST__MESSAGE_REPLY: self = .reply(isAgreed: message.reply != 0)
    default: throw Field.absent("message")
    }
  }

  func fill(_ message: inout Marquee__V1__PerformIntentRequest, _ scratch: EncodeScratch) {
    switch self {
    case .begin(let device, let app, let run):
      message.message_case = MARQUEE__V1__PERFORM_INTENT_REQUEST__MESSAGE_BEGIN
      message.begin = scratch.build {
        $0.device = scratch.text(device)
        $0.app = scratch.text(app)
        $0.run = scratch.message(run)
      }
    case .reply(let isAgreed):
      message.message_case = MARQUEE__V1__PERFORM_INTENT_REQUEST__MESSAGE_REPLY
      message.reply = isAgreed ? 1 : 0
    }
  }
}

extension PerformIntentUpdate: WireValue {
  init(_ message: Marquee__V1__PerformIntentUpdate) throws(RequestError) {
    switch message.update_case {
    case MARQUEE__V1__PERFORM_INTENT_UPDATE__UPDATE_PROGRESS:
      self = .progress(try Field.required(message.progress, "progress"))
    case MARQUEE__V1__PERFORM_INTENT_UPDATE__UPDATE_PROMPT:
      self = .prompt(try Field.required(message.prompt, "prompt"), number: message.prompt_number)
    case MARQUEE__V1__PERFORM_INTENT_UPDATE__UPDATE_OUTCOME:
      self = .outcome(try Field.required(message.outcome, "outcome"))
    case MARQUEE__V1__PERFORM_INTENT_UPDATE__UPDATE_RUN: self = .begun(try Field.identifier(message.run, "run"))
    case MARQUEE__V1__PERFORM_INTENT_UPDATE__UPDATE_HEARTBEAT:
      try Field.selector(message.heartbeat, "heartbeat")
      self = .heartbeat
    default: throw Field.absent("update")
    }
  }

  func fill(_ message: inout Marquee__V1__PerformIntentUpdate, _ scratch: EncodeScratch) {
    switch self {
    case .progress(let progress):
      message.update_case = MARQUEE__V1__PERFORM_INTENT_UPDATE__UPDATE_PROGRESS
      message.progress = scratch.message(progress)
    case .prompt(let prompt, let number):
      message.update_case = MARQUEE__V1__PERFORM_INTENT_UPDATE__UPDATE_PROMPT
      message.prompt = scratch.message(prompt)
      message.prompt_number = number
    case .outcome(let outcome):
      message.update_case = MARQUEE__V1__PERFORM_INTENT_UPDATE__UPDATE_OUTCOME
      message.outcome = scratch.message(outcome)
    case .begun(let key):
      message.update_case = MARQUEE__V1__PERFORM_INTENT_UPDATE__UPDATE_RUN
      message.run = scratch.text(key)
    case .heartbeat:
      message.update_case = MARQUEE__V1__PERFORM_INTENT_UPDATE__UPDATE_HEARTBEAT
      message.heartbeat = 1
    }
  }
}
