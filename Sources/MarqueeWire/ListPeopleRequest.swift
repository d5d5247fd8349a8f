internal import CMarqueeProtos
public import MarqueeModel
internal import MarqueeRPC

/// Asks whom messages went to while a focus was on (rule D8).
public struct ListPeopleRequest: Hashable, Sendable {
  /// The device.
  public var device: DeviceID
  /// The focus.
  public var focus: FocusID

  /// A request.
  public init(device: DeviceID, focus: FocusID) {
    self.device = device
    self.focus = focus
  }
}

/// The persons to let through in the focus, those with the most messages first.
public struct ListPeopleResponse: Hashable, Sendable {
  /// The persons.
  public var people: [AssociatedPerson]

  /// A response.
  public init(people: [AssociatedPerson]) {
    self.people = people
  }
}

extension ListPeopleRequest: WireValue {
  init(_ message: Marquee__V1__ListPeopleRequest) throws(Refusal) {
    self.init(
      device: try Field.identifier(message.device, "device"), focus: try Field.identifier(message.focus, "focus"))
  }

  func fill(_ message: inout Marquee__V1__ListPeopleRequest, _ scratch: EncodeScratch) {
    message.device = scratch.text(device)
    message.focus = scratch.text(focus)
  }
}

extension ListPeopleResponse: WireValue {
  init(_ message: Marquee__V1__ListPeopleResponse) throws(Refusal) {
    self.init(people: try Field.array(message.n_people, message.people, "people"))
  }

  func fill(_ message: inout Marquee__V1__ListPeopleResponse, _ scratch: EncodeScratch) {
    (message.n_people, message.people) = scratch.array(people)
  }
}

extension AssociatedPerson: WireValue {
  init(_ message: Marquee__V1__AssociatedPerson) throws(Refusal) {
    let (sent, all) = (Int(message.sent_count), Int(message.message_count))
    guard sent >= 1, sent <= all else {
      throw Refusal(.invalidArgument, field: "sent_count", "\(sent) of \(all) messages")
    }
    self.init(person: try Field.required(message.person, "person"), sentCount: sent, messageCount: all)
  }

  func fill(_ message: inout Marquee__V1__AssociatedPerson, _ scratch: EncodeScratch) {
    message.person = scratch.message(person)
    message.sent_count = UInt32(sentCount)
    message.message_count = UInt32(messageCount)
  }
}
