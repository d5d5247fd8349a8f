internal import CMarqueeProtos
internal import MarqueeModel
internal import MarqueeRPC

extension AssociatedPerson: WireValue {
  init(_ message: Marquee__V1__AssociatedPerson) throws(RequestError) {
    let (sent, all) = (Int(message.sent_count), Int(message.message_count))
    guard sent >= 1, sent <= all else {
      throw RequestError(.invalidArgument, field: "sent_count", "\(sent) is outside 1 ... message_count (\(all))")
    }
    self.init(person: try Field.required(message.person, "person"), sentCount: sent, messageCount: all)
  }

  func fill(_ message: inout Marquee__V1__AssociatedPerson, _ scratch: EncodeScratch) {
    message.person = scratch.message(person)
    message.sent_count = UInt32(sentCount)
    message.message_count = UInt32(messageCount)
  }
}
