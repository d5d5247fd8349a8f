internal import CMarqueeProtos
internal import MarqueeModel
internal import MarqueeRPC

extension IntentRun: WireValue {
  init(_ message: Marquee__V1__IntentRun) throws(Refusal) {
    self.init(try Field.required(message.intent, "intent"), from: try Field.optional(message.widget, "widget"))
  }

  func fill(_ message: inout Marquee__V1__IntentRun, _ scratch: EncodeScratch) {
    message.intent = scratch.message(intent)
    message.widget = scratch.message(widget)
  }
}

extension IntentProgress: WireValue {
  init(_ message: Marquee__V1__IntentProgress) throws(Refusal) {
    guard message.completed_unit_count >= 0 else {
      throw Refusal(.invalidArgument, field: "completed_unit_count", "\(message.completed_unit_count) is below 0")
    }
    self.init(
      completedUnitCount: message.completed_unit_count, totalUnitCount: message.total_unit_count,
      description: try Field.text(message.description, "description"))
  }

  func fill(_ message: inout Marquee__V1__IntentProgress, _ scratch: EncodeScratch) {
    message.completed_unit_count = completedUnitCount
    message.total_unit_count = totalUnitCount
    message.description = scratch.text(description)
  }
}

extension IntentPrompt: WireValue {
  init(_ message: Marquee__V1__IntentPrompt) throws(Refusal) {
    let number = message.purpose.rawValue
    guard let purpose = UInt8(exactly: number).flatMap(Purpose.init(rawValue:)) else {
      throw Refusal(.invalidArgument, field: "purpose", "\(number) is no purpose of a prompt")
    }
    self.init(purpose, dialog: try Field.text(message.dialog, "dialog"))
  }

  func fill(_ message: inout Marquee__V1__IntentPrompt, _ scratch: EncodeScratch) {
    message.purpose = Marquee__V1__PromptPurpose(rawValue: UInt32(purpose.rawValue))
    message.dialog = scratch.text(dialog)
  }
}

extension IntentOutcome: WireValue {
  init(_ message: Marquee__V1__IntentOutcome) throws(Refusal) {
    self.init(
      value: try Field.optional(message.value, "value"), valueName: try Field.text(message.value_name, "value_name"),
      dialog: try Field.text(message.dialog, "dialog"), opensApp: message.opens_app != 0)
  }

  func fill(_ message: inout Marquee__V1__IntentOutcome, _ scratch: EncodeScratch) {
    message.value = scratch.message(value)
    message.value_name = scratch.text(valueName)
    message.dialog = scratch.text(dialog)
    message.opens_app = opensApp ? 1 : 0
  }
}
