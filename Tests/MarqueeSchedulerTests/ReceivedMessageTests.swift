import MarqueeModel
import MarqueeScheduler
import Testing

/// Interactions that the user received: they strengthen correspondences, and are not actions of the user (rule D9).
@Suite struct ReceivedMessageTests {
  private static func person(_ name: String) -> IntentValue {
    .person(DisplayIdentity(identifier: name, display: "Dear \(name)"))
  }

  private static func received(from name: String) throws -> Donation.Activity {
    .received(try Habitat.intent("INSendMessageIntent", [("sender", person(name))]))
  }

  private static func sent(to name: String) throws -> Donation.Activity {
    .intent(try Habitat.intent("INSendMessageIntent", [("recipients", person(name))]))
  }

  private static func exchange(
    _ life: inout Habitat, sent: [(String, Int)] = [], received: [(String, Int)] = []
  ) throws {
    for (name, count) in sent {
      for _ in 0..<count { try life.donate("chat", Self.sent(to: name), at: life.device.now) }
    }
    for (name, count) in received {
      for _ in 0..<count { try life.donate("chat", Self.received(from: name), at: life.device.now) }
    }
  }

  private static func shared(_ life: Habitat, count: Int = 9) -> [String] {
    life.device.suggestions(on: .shareSheet, count: count).compactMap {
      if case .person(_, let person) = $0.subject { person.identifier } else { nil }
    }
  }

  private static func reason(_ life: Habitat, _ name: String) -> String? {
    life.device.suggestions(on: .shareSheet, count: 99).first {
      if case .person(_, let person) = $0.subject { person.identifier == name } else { false }
    }?.reason.words()
  }

  @Test("D9 Messages from a person strengthen the correspondence, at most as much as the user answers")
  func strengthened() throws {
    var life = try Habitat()
    try Self.exchange(&life, sent: [("aga", 3), ("ben", 2)])
    #expect(Self.shared(life) == ["aga", "ben"])
    try Self.exchange(&life, received: [("ben", 2)])
    #expect(Self.shared(life) == ["ben", "aga"])
    #expect(Self.reason(life, "ben") == "2 of the last 5 messages went to this person, and 2 came from them")
    // Three received messages count at most, for two sent ones.
    let confidence = life.device.suggestions(on: .shareSheet, count: 1).first?.confidence
    try Self.exchange(&life, received: [("ben", 1)])
    let more = life.device.suggestions(on: .shareSheet, count: 1).first?.confidence
    try Self.exchange(&life, received: [("ben", 40)])
    let most = life.device.suggestions(on: .shareSheet, count: 1).first?.confidence
    #expect(confidence == 4.0 / 8 && more == 5.0 / 9 && most == more)
  }

  @Test("D9 Unanswered senders, however many and insistent, push nobody off the share sheet")
  func unanswered() throws {
    var life = try Habitat()
    try Self.exchange(&life, sent: [("aga", 3), ("ben", 2)])
    let before = life.device.suggestions(on: .shareSheet, count: 9)
    try Self.exchange(&life, received: (0..<100).map { ("stranger \($0)", 2) })
    #expect(Self.shared(life, count: 2) == ["aga", "ben"])
    let after = life.device.suggestions(on: .shareSheet, count: 2)
    #expect(after.map(\.confidence) == before.map(\.confidence))
    // Even the newest and most frequent of them count as one message.
    try Self.exchange(&life, received: [("seller", 50)])
    #expect(Self.shared(life, count: 2) == ["aga", "ben"])
    let strangers = life.device.suggestions(on: .shareSheet, count: 999).dropFirst(2)
    #expect(strangers.allSatisfy { $0.confidence < 1.0 / 6 })
  }

  @Test("D9 A sender is suggested to a user who has sent nothing, with a reason that claims no sent message")
  func onlyReceived() throws {
    var life = try Habitat()
    try Self.exchange(&life, received: [("aga", 1)])
    #expect(Self.shared(life) == ["aga"])
    #expect(Self.reason(life, "aga") == "1 unanswered message came from this person")
    try Self.exchange(&life, received: [("aga", 2)])
    #expect(Self.reason(life, "aga") == "3 unanswered messages came from this person")
    #expect(life.device.suggestions(on: .shareSheet, count: 1).first?.confidence == 0.5)
  }

  @Test("D9 A received message is no action: it is not predicted, counted, or followed, and allows nobody in a focus")
  func noAction() throws {
    var (plain, life) = (try Habitat(), try Habitat())
    let app = try Habitat.app("chat")
    let work = try FocusID("work")
    let recipients = try IntentParameter.Name("recipients")
    let sender = try IntentParameter.Name("sender")
    let type = try IntentTypeDescriptor(
      app: app, type: .sendMessage,
      parameters: [.init(name: recipients, type: .person), .init(name: sender, type: .person)],
      combinations: [.init(parameters: [recipients]), .init(parameters: [sender])])
    for isReceiving in [false, true] {
      var device = isReceiving ? life : plain
      try device.send(.intentTypesRegistered(app, [type]))
      try device.report(.contextChanged(.focus(work)), at: device.device.now)
      for day in 0..<8 {
        for hour in [8, 12, 18] {
          if isReceiving {
            for _ in 0..<4 { try device.donate("chat", Self.received(from: "cem"), at: Habitat.time(day, hour)) }
          } else {
            device.advance(to: Habitat.time(day, hour))
          }
          try device.donate("chat", Self.sent(to: "aga"), at: Habitat.time(day, hour, 10))
        }
      }
      if isReceiving { life = device } else { plain = device }
    }
    for instant in [Habitat.time(8, 8), Habitat.time(8, 11, 45), Habitat.time(8, 18)] {
      plain.advance(to: instant)
      life.advance(to: instant)
      #expect(life.device.likelyActions(count: 99) == plain.device.likelyActions(count: 99))
      for surface in SuggestionSurface.allCases where surface != .shareSheet {
        let listed = life.device.suggestions(on: surface, count: 99)
        #expect(listed == plain.device.suggestions(on: surface, count: 99), "\(surface)")
      }
    }
    #expect(life.device.donatedActions == plain.device.donatedActions && life.device.donatedActions.count == 1)
    #expect(life.device.people(allowedIn: work).map(\.person.identifier) == ["aga"])
    #expect(life.device.donations(count: 999).count { $0.activity.isReceived && $0.satisfied.isEmpty } == 96)
  }

  @Test("D9 S8 The continuation of a person has the latest sent message, and none for a sender without an answer")
  func continuation() throws {
    var life = try Habitat()
    let app = try Habitat.app("chat")
    try Self.exchange(&life, sent: [("aga", 1)], received: [("aga", 1), ("bo", 1)])
    func continuation(_ name: String) throws -> Continuation {
      let subject = SurfaceSuggestion.Subject.person(app, DisplayIdentity(identifier: name, display: ""))
      return try life.device.continuation(of: .suggestion(subject.id, on: .shareSheet)).continuation
    }
    guard case .person(let aga, let sent?) = try continuation("aga"), case .person(let bo, nil) = try continuation("bo")
    else {
      Issue.record("unexpected continuations")
      return
    }
    #expect(aga.identifier == "aga" && sent.recipients.map(\.identifier) == ["aga"] && sent.sender == nil)
    #expect(bo.identifier == "bo")
    try life.send(.donationsDeleted(app, .everything))
    #expect(throws: RequestError.self) { try continuation("bo") }
  }

  @Test("D9 A late received message relearns nothing, but its work counts, also with a donation between two of them")
  func late() throws {
    var life = try Habitat()
    let app = try Habitat.app("chat")
    try life.registerFilling()
    for day in 0..<4 { try life.fill(day) }
    let learned = life.device.likelyActions(count: 99)
    func event(_ id: String, _ activity: Donation.Activity, hour: Int) throws -> Event {
      .donated(app, [Donation(id: try .init(id), date: Habitat.time(1, hour), activity: activity)])
    }
    let late = try event("late", Self.received(from: "aga"), hour: 3)
    let present = try event("present", Self.received(from: "aga"), hour: 99)
    #expect(life.device.learnedDonationCount(by: present, limits: Limits()) == 1)
    // The whole log is numbered again.
    #expect(life.device.learnedDonationCount(by: late, limits: Limits()) == 53)
    try life.send(late)
    #expect(life.device.likelyActions(count: 99) == learned)
    #expect(life.device == (try Device(decoding: life.device.encoded)))
    // So it is with a late action, which is relearned, and with one that only a received message follows, which is not.
    let action = try event("action", Self.sent(to: "aga"), hour: 4)
    #expect(life.device.learnedDonationCount(by: action, limits: Limits()) == 54)
    try life.donate("chat", Self.received(from: "aga"), at: Habitat.time(5, 12))
    let before = Event.donated(
      try Habitat.app("notes"),
      [
        Donation(
          id: try .init("new"), date: Habitat.time(5, 11),
          activity: .intent(try Habitat.intent("Read", [("note", .integer(3))])))
      ])
    #expect(life.device.learnedDonationCount(by: before, limits: Limits()) == 55)
    try life.send(before)
    // A batch in any order leaves the same log as its donations one by one.
    var single = life
    let batch = try [2, 9, 1, 5, 7].enumerated().map { index, hour in
      Donation(
        id: try .init("batch \(index % 4)"), date: Habitat.time(2, hour),
        activity: try index == 1 ? Self.sent(to: "ben") : Self.received(from: "sender \(hour)"))
    }
    try life.send(.donated(app, batch))
    for donation in batch { try single.send(.donated(app, [donation])) }
    #expect(life.device.encoded == single.device.encoded)
    let stored = try Device(decoding: life.device.encoded)
    #expect(stored == life.device && stored.likelyActions(count: 99) == life.device.likelyActions(count: 99))
    #expect(single.device.likelyActions(count: 99) == life.device.likelyActions(count: 99))
  }

  @Test("D9 A call has at most as many received interactions as are kept, and one that removes others counts as work")
  func work() throws {
    var life = try Habitat()
    let app = try Habitat.app("chat")
    try Self.exchange(&life, sent: [("aga", 2)])
    let now = life.device.now
    func batch(_ numbers: Range<Int>) throws -> Event {
      .donated(
        app,
        try numbers.map {
          Donation(id: try .init("received \($0)"), date: now, activity: try Self.received(from: "sender"))
        })
    }
    let over = try batch(0..<257)
    let error = #expect(throws: RequestError.self) { try life.device.check(over) }
    #expect(error?.field == "donations" && error?.reason == "257 exceeds received-count-max (256)")
    #expect(life.device.makingRoom(for: over, limits: Limits()) == [])
    let first = try batch(0..<256)
    #expect(life.device.learnedDonationCount(by: first, limits: Limits()) == 256)
    try life.send(first)
    let next = try batch(256..<261)
    #expect(life.device.learnedDonationCount(by: next, limits: Limits()) == 263)
    let trim = Event.donationsTrimmed(app, keeping: 235, onlyReceived: true)
    #expect(life.device.learnedDonationCount(by: trim, limits: Limits()) == 258)
    // The removed ones make room below the other limits, too.
    var limits = Limits()
    (limits.appDonationCountMax, limits.donationCountMax) = (260, 260)
    #expect(life.device.makingRoom(for: next, limits: limits) == [trim])
    try life.store()
    #expect(life.device.makingRoom(for: next, limits: limits) == [trim])
    let full = try batch(300..<556)
    for event in life.device.makingRoom(for: full, limits: Limits()) + [full] { try life.send(event) }
    #expect(life.device.donations(count: 999).count(where: \.activity.isReceived) == 256)
    #expect(life.device.donationCount() == 258)
  }

  @Test("D9 Of an app's received interactions the oldest are removed beyond the limit, and nothing else")
  func limit() throws {
    var life = try Habitat()
    let app = try Habitat.app("chat")
    try Self.exchange(&life, sent: [("aga", 2)])
    for number in 0..<300 {
      let donation = Donation(
        id: try .init("received \(number)"), date: life.device.now.advanced(by: .seconds(Int64(number) - 1_000)),
        activity: try Self.received(from: "sender \(number)"))
      let event = Event.donated(app, [donation])
      let room = life.device.makingRoom(for: event, limits: Limits())
      for event in room + [event] { try life.send(event) }
      #expect(life.device.donations(count: 999).count(where: \.activity.isReceived) <= Donation.receivedCountMax)
      for event in room { #expect(try Event(decoding: event.encoded) == event) }
    }
    let kept = life.device.donations(count: 999)
    #expect(kept.count { !$0.activity.isReceived } == 2 && kept.count > 240)
    // The newest ones remain.
    let senders = kept.compactMap { $0.activity.interaction?.sender?.identifier }
    #expect(senders.contains("sender 299") && !senders.contains("sender 0"))
    let old = Event.donationsTrimmed(app, keeping: 3)
    #expect(old.encoded.first == 18 && Event.donationsTrimmed(app, keeping: 3, onlyReceived: true).encoded.first == 33)
  }

  @Test("D9 D5 Received messages are deleted with the app's intents, by type, by identifier and by group")
  func deletion() throws {
    let app = try Habitat.app("chat")
    let selections: [DonationSelection] = [
      .intents, .intentType(.sendMessage), .identifiers([try .init("0")]), .group(try .init("g")), .everything,
    ]
    for selection in selections {
      var life = try Habitat()
      let donation = Donation(
        id: try .init("0"), group: try .init("g"), date: life.device.now, activity: try Self.received(from: "aga"))
      try life.send(.donated(app, [donation]))
      #expect(Self.shared(life) == ["aga"])
      try life.send(.donationsDeleted(app, selection))
      #expect(Self.shared(life) == [] && life.device.donationCount() == 0, "\(selection)")
      #expect(!String(decoding: life.device.encoded, as: UTF8.self).contains("aga"))
    }
  }
}
