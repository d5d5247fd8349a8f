internal import CMarqueeProtos
internal import MarqueeModel
internal import MarqueeRPC

extension PinTimes: WireValue {
  init(_ message: Marquee__V1__PinTimes) throws(RequestError) {
    let days = try Field.array(message.n_weekdays, message.weekdays, "weekdays") { (day) throws(RequestError) in
      try Weekdays(day)
    }
    try Field.unique(days, "weekdays") { $0 }
    try self.init(weekdays: Weekdays(days), start: Int(message.start_minute), end: Int(message.end_minute))
  }

  func fill(_ message: inout Marquee__V1__PinTimes, _ scratch: EncodeScratch) {
    let days = (0..<7).filter { weekdays.contains(Weekdays($0)) }
    (message.n_weekdays, message.weekdays) = scratch.elements(days) { Marquee__V1__Weekday(rawValue: UInt32($0) + 1) }
    message.start_minute = UInt32(start)
    message.end_minute = UInt32(end)
  }
}

extension Weekdays {
  /// Decodes a set of one day.
  fileprivate init(_ day: Marquee__V1__Weekday) throws(RequestError) {
    guard (1...7).contains(day.rawValue) else {
      throw RequestError(.invalidArgument, "unknown weekday: \(Int32(bitPattern: day.rawValue))")
    }
    self.init(Int(day.rawValue) - 1)
  }
}

extension RotationRule: WireValue {
  init(_ message: Marquee__V1__RotationRule) throws(RequestError) {
    self.init(isToAllowed: message.never_to == 0, isAwayAllowed: message.never_away == 0)
  }

  func fill(_ message: inout Marquee__V1__RotationRule, _ scratch: EncodeScratch) {
    message.never_to = isToAllowed ? 0 : 1
    message.never_away = isAwayAllowed ? 0 : 1
  }
}

/// A member's settings are encoded with its index, and decoded as a part of the stack.
extension MemberSettings: WireValue {
  init(_ message: Marquee__V1__MemberSettings) throws(RequestError) {
    self.init(
      pin: try Field.optional(message.pin, "pin"),
      rotationRule: try Field.optional(message.rotation_rule, "rotation_rule") ?? RotationRule())
  }

  func fill(_ message: inout Marquee__V1__MemberSettings, _ scratch: EncodeScratch) {
    message.pin = scratch.message(pin)
    if rotationRule != RotationRule() { message.rotation_rule = scratch.message(rotationRule) }
  }
}
