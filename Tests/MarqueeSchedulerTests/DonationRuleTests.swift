import MarqueeModel
import MarqueeScheduler
import Testing

/// Rules D1 to D6, with the examples of WWDC18 211 and WWDC21 10231.
@Suite struct DonationRuleTests {
  private var device: Device
  private let app: AppID
  private static let monday = Instant(milliseconds: 1_623_024_000_000)!

  init() throws {
    app = try AppID("com.example.soup-chef")
    device = Device(id: try DeviceID("phone"), timeZone: try TimeZoneID("America/Los_Angeles"), at: Self.monday)
  }

  private static func time(_ day: Int64, _ hour: Int64) -> Instant { monday.advanced(by: .hours(24 * day + hour)) }

  private static func name(_ text: String) throws -> IntentParameter.Name { try IntentParameter.Name(text) }

  private static func values(_ values: [(String, IntentValue)]) throws -> [IntentParameter] {
    try values.map { IntentParameter(name: try name($0.0), value: .single($0.1)) }
  }

  private static func object(_ text: String) -> IntentValue {
    .object(DisplayIdentity(identifier: text, display: text))
  }

  private static func intent(_ type: String, _ values: [(String, IntentValue)]) throws -> Donation.Activity {
    .intent(try Intent(type: try IntentType(type), parameters: try self.values(values)))
  }

  private mutating func register(
    _ type: String, _ parameters: [(String, IntentValueType)], _ combinations: [[String]],
    isEligibleForSuggestions: Bool = true
  ) throws {
    let descriptor = try IntentTypeDescriptor(
      app: app, type: IntentType(type),
      parameters: parameters.map { .init(name: try Self.name($0.0), type: $0.1) },
      combinations: combinations.map { .init(parameters: try $0.map(Self.name), isBackground: $0.count > 2) },
      isEligibleForSuggestions: isEligibleForSuggestions)
    try send(.intentTypesRegistered(app, [descriptor]), at: device.now)
  }

  private mutating func send(_ event: Event, at instant: Instant) throws {
    _ = device.advance(to: instant)
    try device.check(event)
    #expect(device.handle(event, at: instant).isEmpty)
  }

  private mutating func donate(
    _ activity: Donation.Activity, _ id: String, group: String? = nil, at instant: Instant
  ) throws {
    let donation = Donation(
      id: try Donation.ID(id), group: try group.map { try Donation.Group($0) }, date: instant, activity: activity)
    try send(.donated(app, [donation]), at: max(instant, device.now))
  }

  /// Returns the combinations that the newest donation satisfies, with the action's index, such as `count+soup:3`.
  private var satisfied: [String] {
    (device.donations(count: 1).first?.satisfied ?? []).map { satisfied in
      let parameters: [IntentParameter] =
        switch satisfied.action {
        case .intent(_, let intent): intent.parameters
        case .userActivity(_, _, let values): values
        }
      return parameters.map(\.name.text).joined(separator: "+") + ":\(satisfied.actionIndex)"
        + (satisfied.isBackground ? " in background" : "")
    }
  }

  @Test("D2 Soup Chef's order counts once for each of its three shortcut types that it has set")
  mutating func soupChef() throws {
    try register(
      "OrderSoup", [("soup", .object), ("quantity", .integer), ("options", .enumCase)],
      [["soup", "quantity"], ["soup", "options"], ["soup", "quantity", "options"]])
    func order(_ option: String?) throws -> Donation.Activity {
      try Self.intent(
        "OrderSoup",
        [("soup", Self.object("tomato")), ("quantity", .integer(1))]
          + (option.map { [("options", .enumCase($0))] } ?? []))
    }
    try donate(order("croutons"), "monday lunch", at: Self.time(0, 12))
    #expect(satisfied == ["quantity+soup:0", "options+soup:1", "options+quantity+soup:2 in background"])
    try donate(order("red pepper"), "monday evening", at: Self.time(0, 19))
    #expect(satisfied == ["quantity+soup:0", "options+soup:3", "options+quantity+soup:4 in background"])
    try donate(order("croutons"), "tuesday lunch", at: Self.time(1, 12))
    #expect(satisfied == ["quantity+soup:0", "options+soup:1", "options+quantity+soup:2 in background"])
    try donate(order(nil), "tuesday evening", at: Self.time(1, 19))
    #expect(satisfied == ["quantity+soup:0"])
    #expect(device.donatedActions.count == 5)
  }

  @Test("D2 A large iced latte is a new action every day with the date in the combination, and a single one without it")
  mutating func latte() throws {
    func order(_ day: Int64) throws -> Donation.Activity {
      try Self.intent(
        "OrderCoffee",
        [("item", Self.object("iced latte")), ("size", .enumCase("large")), ("date", .date(Self.time(day, 8)))])
    }
    let parameters: [(String, IntentValueType)] = [("item", .object), ("size", .enumCase), ("date", .date)]
    try register("OrderCoffee", parameters, [["item", "size", "date"]])
    for day in 0..<3 { try donate(order(Int64(day)), "day \(day)", at: Self.time(Int64(day), 8)) }
    #expect(device.donatedActions.count == 3)
    try register("OrderCoffee", parameters, [["item", "size"]])
    #expect(device.donatedActions.count == 1)
    #expect(satisfied == ["item+size:0"])
  }

  @Test("D2 Values are compared by identifier, never by display string, and an empty array is not set")
  mutating func equality() throws {
    let list = IntentTypeDescriptor.Parameter(name: try Self.name("list"), type: .integer, isArray: true)
    let place = IntentTypeDescriptor.Parameter(name: try Self.name("place"), type: .object)
    let descriptor = try IntentTypeDescriptor(
      app: app, type: IntentType("T"), parameters: [list, place],
      combinations: [.init(parameters: [place.name]), .init(parameters: [place.name, list.name])])
    try send(.intentTypesRegistered(app, [descriptor]), at: device.now)
    func activity(_ display: String, _ value: ParameterValue) throws -> Donation.Activity {
      let object = ParameterValue.single(.object(DisplayIdentity(identifier: "home", display: display)))
      return .intent(
        try Intent(
          type: IntentType("T"),
          parameters: [.init(name: place.name, value: object), .init(name: list.name, value: value)]
        ))
    }
    try donate(activity("Home", .array([])), "1", at: Self.time(0, 1))
    try donate(activity("Chez moi", .array([])), "2", at: Self.time(0, 2))
    #expect(satisfied == ["place:0"])
    try donate(activity("Home", .array([.integer(1)])), "3", at: Self.time(0, 3))
    #expect(satisfied == ["place:0", "list+place:1"])
    try donate(activity("Home", .single(.integer(1))), "4", at: Self.time(0, 4))
    #expect(satisfied == ["place:0"])
    #expect(Set(device.donations(count: 9).map(\.activity)).count == 3)
  }

  @Test("D3 A donation of a type that is not eligible for suggestions is stored and counts as no action")
  mutating func ineligible() throws {
    try register("Read", [], [[]], isEligibleForSuggestions: false)
    try donate(Self.intent("Read", []), "1", at: Self.time(0, 1))
    #expect(device.donationCount() == 1 && satisfied.isEmpty && device.donatedActions.isEmpty)
  }

  @Test("D3 A donation of an unregistered type counts once the type is registered")
  mutating func registeredLater() throws {
    try donate(Self.intent("Read", []), "1", at: Self.time(0, 1))
    #expect(satisfied.isEmpty)
    try register("Read", [], [[]])
    #expect(satisfied == [":0"])
  }

  private func activity(
    scroll: Int64, keys: [String], search: Bool = true, prediction: Bool = true, named name: String? = nil
  ) throws -> Donation.Activity {
    let info = try Self.values([("soup", .string("tomato")), ("quantity", .integer(1)), ("scroll", .integer(scroll))])
    return .userActivity(
      try UserActivity(
        type: .init("com.example.order"), userInfo: info, requiredUserInfoKeys: keys.map(Self.name),
        isEligibleForSearch: search, isEligibleForPrediction: prediction, persistentID: name.map { try .init($0) },
        relatedItem: .init("soups")))
  }

  @Test("D4 The scroll position makes every activity distinct, unless the required keys exclude it")
  mutating func requiredKeys() throws {
    try donate(activity(scroll: 79, keys: []), "1", at: Self.time(0, 1))
    try donate(activity(scroll: 110, keys: []), "2", at: Self.time(0, 2))
    #expect(satisfied == ["quantity+scroll+soup:1"])
    try donate(activity(scroll: 79, keys: ["soup", "quantity"]), "3", at: Self.time(0, 3))
    try donate(activity(scroll: 110, keys: ["soup", "quantity"]), "4", at: Self.time(0, 4))
    #expect(satisfied == ["quantity+soup:2"])
    #expect(device.donatedActions.count == 3)
    try donate(activity(scroll: 1, keys: ["soup", "table"]), "5", at: Self.time(0, 5))
    #expect(satisfied.isEmpty)
  }

  @Test("D4 An activity counts only if it is eligible for prediction and for search", arguments: [true, false])
  mutating func eligibility(search: Bool) throws {
    try donate(activity(scroll: 1, keys: [], search: search, prediction: !search), "1", at: Self.time(0, 1))
    #expect(device.donationCount() == 1 && satisfied.isEmpty)
  }

  @Test("D5 San Diego is deleted by its group, and Cupertino remains")
  mutating func sanDiego() throws {
    try register("CheckWeather", [("location", .object)], [["location"]])
    for (index, city) in ["Cupertino", "San Diego", "Cupertino", "San Diego"].enumerated() {
      try donate(
        Self.intent("CheckWeather", [("location", Self.object(city))]), "\(index)",
        group: city == "San Diego" ? "san-diego" : nil, at: Self.time(Int64(index), 7))
    }
    #expect(device.donatedActions.count == 2)
    try send(.donationsDeleted(app, .group(try .init("san-diego"))), at: Self.time(5, 0))
    #expect(device.donationCount() == 2 && device.donatedActions.count == 1)
    #expect(device.donations(count: 9).allSatisfy { $0.group == nil })
  }

  @Test("D5 Donations are deleted by identifier, persistent identifier, related item, kind, and all at once")
  mutating func selections() throws {
    func fill() throws {
      try donate(Self.intent("Read", []), "1", at: Self.time(0, 1))
      try donate(activity(scroll: 1, keys: [], named: "a"), "2", at: Self.time(0, 2))
      try donate(activity(scroll: 1, keys: [], named: "b"), "3", at: Self.time(0, 3))
    }
    let left: [(DonationSelection, Int)] = [
      (.identifiers([try .init("1"), try .init("3"), try .init("4")]), 1), (.persistentIDs([try .init("a")]), 2),
      (.relatedItem(try .init("soups")), 1), (.relatedItem(try .init("salads")), 3), (.userActivities, 1),
      (.intents, 2), (.everything, 0), (.group(try .init("none")), 3),
    ]
    for (selection, count) in left {
      try fill()
      let stranger = Event.donationsDeleted(try AppID("com.example.other"), selection)
      try send(stranger, at: Self.time(0, 4))
      #expect(device.donationCount() == 3)
      try send(.donationsDeleted(app, selection), at: Self.time(0, 4))
      #expect(device.donationCount() == count, "\(selection)")
      try send(.donationsDeleted(nil, .everything), at: Self.time(0, 4))
      #expect(device.donationCount() == 0)
    }
    #expect(throws: RequestError.self) { try device.check(.donationsDeleted(nil, .intents)) }
  }

  @Test("D6 A donation with the same identifier replaces the earlier one, whatever its date")
  mutating func replacing() throws {
    try donate(activity(scroll: 1, keys: []), "1", group: "old", at: Self.time(0, 3))
    try donate(activity(scroll: 2, keys: []), "2", at: Self.time(0, 4))
    try donate(activity(scroll: 3, keys: []), "1", group: "new", at: Self.time(0, 2))
    let readings = device.donations(count: 9)
    #expect(readings.map(\.date) == [Self.time(0, 4), Self.time(0, 2)])
    #expect(readings.map(\.group) == [nil, try Donation.Group("new")])
    #expect(readings.map { $0.satisfied.map(\.actionIndex) } == [[1], [0]])
  }

  @Test("D1 A donation has the wall time and context of its own date, even if it arrives late")
  mutating func context() throws {
    let summer = UTCOffsets.Step(start: Self.monday, seconds: -7 * 3_600)
    let later = UTCOffsets.Step(start: Self.time(3, 0), seconds: -8 * 3_600)
    try send(
      .utcOffsetsLearned(try UTCOffsets(zone: device.timeZone, steps: [summer, later], end: Self.time(9, 0))),
      at: Self.monday)
    try send(.reported(.contextChanged(.routine(.morning))), at: Self.time(0, 7))
    try send(.reported(.contextChanged(.focus(try FocusID("work")))), at: Self.time(0, 9))
    for (hour, id) in [(6, "a"), (8, "b"), (10, "c"), (80, "d")] as [(Int64, String)] {
      if hour == 80 { _ = device.advance(to: Self.time(0, 80)) }
      try donate(Self.intent("Read", []), id, at: Self.time(0, hour))
    }
    let readings = device.donations(count: 9).reversed() as [DonationStatus]
    #expect(readings.map(\.context.routine) == [nil] + Array(repeating: .init(.morning, at: Self.time(0, 7)), count: 3))
    #expect(readings.map(\.context.focus?.text) == [nil, nil, "work", "work"])
    #expect(readings.map(\.wallTime.minute) == [23 * 60, 60, 3 * 60, 0])
    #expect(readings.map(\.wallTime.weekday) == [6, 0, 0, 3])
  }

  @Test("D1 A donation that is dated up to a minute ahead, as by another clock, is dated now; a later one is rejected")
  mutating func clocks() throws {
    func event(_ milliseconds: Int64) throws -> Event {
      let date = device.now.advanced(by: TimeSpan(milliseconds: milliseconds))
      let activity = try Self.intent("Read", [])
      return .donated(app, [.init(id: try .init("\(milliseconds)"), date: date, activity: activity)])
    }
    _ = device.advance(to: Self.time(0, 1))
    for milliseconds: Int64 in [0, 1, 60_000] { try send(event(milliseconds), at: device.now) }
    #expect(device.donations(count: 9).map(\.date) == [device.now, device.now, device.now])
    #expect(throws: RequestError.self) { try device.check(event(60_001)) }
  }

  @Test("Batches, sizes and dates are limited, and trimming removes the oldest donations")
  mutating func limits() throws {
    var limits = Limits()
    (limits.donationBatchCountMax, limits.donationSizeMax, limits.donationCountMax) = (2, 60, 32)
    let reading = try Self.intent("Read", [])
    func batch(_ ids: [Int], _ activity: Donation.Activity, hour: Int64 = 1) throws -> Event {
      .donated(app, try ids.map { .init(id: try .init("\($0)"), date: Self.time(0, hour), activity: activity) })
    }
    _ = device.advance(to: Self.time(0, 1))
    let rejected: [(Event, String)] = [
      (try batch([1, 2, 3], reading), "donations: 3 exceeds donation-batch-count-max (2)"),
      (try batch([1], activity(scroll: 1, keys: [])), " exceeds donation-size-max (60)"),
      (try batch([1], reading, hour: 2), "donations[0].date_ms: 1 h in the future"),
    ]
    for (event, reason) in rejected {
      do {
        try device.check(event, limits: limits)
        Issue.record("accepted: \(reason)")
      } catch {
        #expect(error.description.contains(reason))
      }
      #expect(device.makingRoom(for: event, limits: limits).isEmpty)
    }
    for number in 0..<32 { try send(batch([number], reading), at: device.now) }
    #expect(throws: RequestError.self) { try device.check(batch([32], reading), limits: limits) }
    let room = device.makingRoom(for: try batch([32], reading), limits: limits)
    #expect(room == [.donationsTrimmed(nil, keeping: 29)])
    for event in room { try send(event, at: device.now) }
    #expect(device.donationCount() == 29)
    try device.check(batch([32], reading), limits: limits)
  }
}
