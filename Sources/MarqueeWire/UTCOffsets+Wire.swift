internal import CMarqueeProtos
internal import MarqueeModel
internal import MarqueeRPC

extension UTCOffsets: WireValue {
  init(_ message: Marquee__V1__UTCOffsets) throws(RequestError) {
    try self.init(
      zone: Field.identifier(message.time_zone, "time_zone"),
      steps: Field.array(message.n_steps, message.steps, "steps"), end: Field.instant(message.end_ms, "end_ms"))
  }

  func fill(_ message: inout Marquee__V1__UTCOffsets, _ scratch: EncodeScratch) {
    message.time_zone = scratch.text(zone)
    (message.n_steps, message.steps) = scratch.array(steps)
    message.end_ms = end.milliseconds
  }
}

extension UTCOffsets.Step: WireValue {
  init(_ message: Marquee__V1__UTCOffsetStep) throws(RequestError) {
    self.init(start: try Field.instant(message.start_ms, "start_ms"), seconds: Int(message.seconds))
  }

  func fill(_ message: inout Marquee__V1__UTCOffsetStep, _ scratch: EncodeScratch) {
    message.start_ms = start.milliseconds
    message.seconds = Int32(seconds)
  }
}
