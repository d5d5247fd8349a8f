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
  /// A prompt for the user, which waits for the reply.
  case prompt(IntentPrompt)
  /// The outcome; the last update.
  case outcome(IntentOutcome)
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
      self = .prompt(try Field.required(message.prompt, "prompt"))
    case MARQUEE__V1__PERFORM_INTENT_UPDATE__UPDATE_OUTCOME:
      self = .outcome(try Field.required(message.outcome, "outcome"))
    default: throw Field.absent("update")
    }
  }

  func fill(_ message: inout Marquee__V1__PerformIntentUpdate, _ scratch: EncodeScratch) {
    switch self {
    case .progress(let progress):
      message.update_case = MARQUEE__V1__PERFORM_INTENT_UPDATE__UPDATE_PROGRESS
      message.progress = scratch.message(progress)
    case .prompt(let prompt):
      message.update_case = MARQUEE__V1__PERFORM_INTENT_UPDATE__UPDATE_PROMPT
      message.prompt = scratch.message(prompt)
    case .outcome(let outcome):
      message.update_case = MARQUEE__V1__PERFORM_INTENT_UPDATE__UPDATE_OUTCOME
      message.outcome = scratch.message(outcome)
    }
  }
}
