internal import CMarqueeProtos
public import MarqueeModel
internal import MarqueeRPC

/// A request for the people to allow through in a Focus (rule D8).
public struct ListPeopleRequest: Hashable, Sendable {
  /// The device.
  public var device: DeviceID
  /// The Focus.
  public var focus: FocusID

  /// Creates a request.
  public init(device: DeviceID, focus: FocusID) {
    self.device = device
    self.focus = focus
  }
}

/// The people to allow through in a Focus, those with the most messages first.
public struct ListPeopleResponse: Hashable, Sendable {
  /// The people.
  public var people: [AssociatedPerson]

  /// Creates a response.
  public init(people: [AssociatedPerson]) {
    self.people = people
  }
}

extension ListPeopleRequest: WireValue {
  init(_ message: Marquee__V1__ListPeopleRequest) throws(RequestError) {
    self.init(
      device: try Field.identifier(message.device, "device"), focus: try Field.identifier(message.focus, "focus"))
  }

  func fill(_ message: inout Marquee__V1__ListPeopleRequest, _ scratch: EncodeScratch) {
    message.device = scratch.text(device)
    message.focus = scratch.text(focus)
  }
}

extension ListPeopleResponse: WireValue {
  init(_ message: Marquee__V1__ListPeopleResponse) throws(RequestError) {
    self.init(people: try Field.array(message.n_people, message.people, "people"))
  }

  func fill(_ message: inout Marquee__V1__ListPeopleResponse, _ scratch: EncodeScratch) {
    (message.n_people, message.people) = scratch.array(people)
  }
}

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
