internal import CMarqueeProtos
internal import MarqueeModel
internal import MarqueeRPC

extension IntentInvocation: WireValue {
  init(_ message: Marquee__V1__IntentInvocation) throws(RequestError) {
    self.init(try Field.required(message.intent, "intent"), from: try Field.optional(message.widget, "widget"))
  }

  func fill(_ message: inout Marquee__V1__IntentInvocation, _ scratch: EncodeScratch) {
    message.intent = scratch.message(intent)
    message.widget = scratch.message(widget)
  }
}

extension IntentProgress: WireValue {
  init(_ message: Marquee__V1__IntentProgress) throws(RequestError) {
    guard message.completed_unit_count >= 0 else {
      throw RequestError(.invalidArgument, field: "completed_unit_count", "\(message.completed_unit_count) is negative")
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
  init(_ message: Marquee__V1__IntentPrompt) throws(RequestError) {
    let number = message.purpose.rawValue
    guard let purpose = UInt8(exactly: number).flatMap(Purpose.init(rawValue:)) else {
      throw RequestError(.invalidArgument, field: "purpose", "unknown prompt purpose: \(number)")
    }
    self.init(purpose, dialog: try Field.text(message.dialog, "dialog"))
  }

  func fill(_ message: inout Marquee__V1__IntentPrompt, _ scratch: EncodeScratch) {
    message.purpose = Marquee__V1__PromptPurpose(rawValue: UInt32(purpose.rawValue))
    message.dialog = scratch.text(dialog)
  }
}

extension IntentOutcome: WireValue {
  init(_ message: Marquee__V1__IntentOutcome) throws(RequestError) {
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
