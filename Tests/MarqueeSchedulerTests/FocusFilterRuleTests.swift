import MarqueeModel
import MarqueeScheduler
import Testing

/// Focus filters, which apps perform when a Focus begins or ends (rule S11).
@Suite struct FocusFilterRuleTests {
  private let mail: AppID
  private let chat: AppID
  private let work: FocusID
  private let sleep: FocusID

  init() throws {
    (mail, chat) = (try Habitat.app("mail"), try Habitat.app("chat"))
    (work, sleep) = (try FocusID("work"), try FocusID("sleep"))
  }

  private func type(_ name: String = "Filter", of app: AppID, isFocusFilter: Bool = true) throws -> IntentTypeDescriptor
  {
    try IntentTypeDescriptor(
      app: app, type: IntentType(name),
      parameters: [
        .init(name: .init("account"), type: .object), .init(name: .init("tags"), type: .string, isArray: true),
      ],
      combinations: [], isFocusFilter: isFocusFilter)
  }

  private func intent(_ account: String, _ name: String = "Filter") throws -> Intent {
    try Habitat.intent(name, [("account", Habitat.object(account))])
  }

  private func key(_ focus: FocusID, of app: AppID, _ name: String = "Filter") throws -> FocusFilter.Key {
    FocusFilter.Key(app: app, intentType: try IntentType(name), focus: focus)
  }

  /// Returns a device with two apps that have filters: mail for both Focuses, and chat for work.
  private func filters() throws -> Device {
    var device = Device(id: try DeviceID("phone"), timeZone: try TimeZoneID("UTC"), at: Habitat.monday)
    for app in [mail, chat] { _ = try send(.intentTypesRegistered(app, [try type(of: app)]), to: &device) }
    for (app, focus, account) in [(mail, work, "office"), (mail, sleep, "none"), (chat, work, "team")] {
      _ = try send(.focusFilterSet(app, focus, try intent(account)), to: &device)
    }
    return device
  }

  /// Applies an event, which must be valid, and returns the performed filters, such as `mail: Filter(office)`.
  private func send(_ event: Event, to device: inout Device) throws -> [String] {
    try device.check(event)
    return device.handle(event, at: device.now.advanced(by: .seconds(1))).compactMap { action in
      guard case .performFocusFilter(let app, let state) = action.order else { return nil }
      return "\(app.text.split(separator: ".").last ?? ""): \(words(state))"
    }
  }

  private func words(_ state: FocusFilterState) -> String {
    let account = state.intent?.parameters.first { $0.name.text == "account" }?.value
    guard case .single(.object(let identity))? = account else { return "\(state.intentType)()" }
    return "\(state.intentType)(\(identity.identifier)) in \(state.focus?.text ?? "-")"
  }

  private func focus(_ focus: FocusID?) -> Event { .reported(.contextChanged(.focus(focus))) }

  @Test("S11 A filter is performed when its Focus begins, and with the default values when it ends")
  func beginsAndEnds() throws {
    var device = try filters()
    #expect(device.focusFilters.map(\.isInForce) == [false, false, false])
    let begun = try send(focus(work), to: &device)
    #expect(begun == ["mail: Filter(office) in work", "chat: Filter(team) in work"])
    #expect(device.focusFilters.map(\.isInForce) == [true, false, true])
    let repeated = try send(focus(work), to: &device)
    #expect(repeated.isEmpty)
    // Mail has a filter for the next Focus; chat has none.
    let changed = try send(focus(sleep), to: &device)
    #expect(changed == ["mail: Filter(none) in sleep", "chat: Filter()"])
    let other = try send(focus(try FocusID("reading")), to: &device)
    #expect(other == ["mail: Filter()"])
    let ended = try send(focus(nil), to: &device)
    #expect(ended.isEmpty)
  }

  @Test("S11 Setting and removing a filter of the Focus that is on has it performed at once, and other filters not")
  func changes() throws {
    var device = try filters()
    _ = try send(focus(work), to: &device)
    let other = try send(.focusFilterSet(mail, sleep, try intent("all")), to: &device)
    #expect(other.isEmpty)
    let set = try send(.focusFilterSet(mail, work, try intent("private")), to: &device)
    #expect(set == ["mail: Filter(private) in work"])
    let same = try send(.focusFilterSet(mail, work, try intent("private")), to: &device)
    #expect(same.isEmpty)
    let removed = try send(.focusFilterRemoved(try key(work, of: mail)), to: &device)
    #expect(removed == ["mail: Filter()"])
    let again = try send(.focusFilterRemoved(try key(work, of: mail)), to: &device)
    #expect(again.isEmpty)
    #expect(device.focusFilters.map { "\($0.app) \($0.focus)" } == ["\(mail) sleep", "\(chat) work"])
    let (kept, gone) = (try key(sleep, of: mail), try key(work, of: mail))
    #expect(device.hasFocusFilter(kept) && !device.hasFocusFilter(gone))
  }

  @Test("S11 A provider that attaches receives the state of each of its types, with the default values if none holds")
  func attachment() throws {
    var device = try filters()
    _ = try send(.intentTypesRegistered(mail, [try type("Other", of: mail)]), to: &device)
    _ = try send(.intentTypesRegistered(mail, [try type("Plain", of: mail, isFocusFilter: false)]), to: &device)
    #expect(device.initialFocusFilterStates(of: mail).map(words) == ["Filter()", "Other()"])
    _ = try send(focus(work), to: &device)
    let states = device.initialFocusFilterStates(of: mail)
    #expect(states.map(words) == ["Filter(office) in work", "Other()"])
    let none = try Habitat.app("none")
    #expect(states.allSatisfy(\.isInitial) && device.initialFocusFilterStates(of: none).isEmpty)
  }

  @Test("S11 Filters change no decision, and their events survive a round trip")
  func noEffect() throws {
    func life(filtered: Bool) throws -> Habitat {
      var life = try Habitat()
      try life.register("soup", "OrderSoup", [("soup", .object)], [["soup"]])
      try life.stack()
      if filtered {
        try life.send(.intentTypesRegistered(mail, [try type(of: mail)]))
        try life.send(.focusFilterSet(mail, work, try intent("office")))
      }
      for day in 0..<4 {
        try life.report(.contextChanged(.focus(work)), at: Habitat.time(day, 11))
        try life.donate("soup", "OrderSoup", [("soup", Habitat.object("tomato"))], at: Habitat.time(day, 12))
        try life.report(.contextChanged(.focus(nil)), at: Habitat.time(day, 13))
      }
      life.advance(to: Habitat.time(4, 14))
      return life
    }
    let (plain, filtered) = (try life(filtered: false), try life(filtered: true))
    #expect(plain.output == filtered.output && !plain.output.isEmpty)
    let events: [Event] = [
      .focusFilterSet(mail, work, try intent("office")), .focusFilterRemoved(try key(work, of: mail)),
    ]
    for event in events {
      #expect(try Event(decoding: event.encoded) == event && event.encoded.first == 32)
    }
  }

  // MARK: Storage

  @Test("S11 Filters follow the device behind a mark, and a device without any is stored as before")
  func stored() throws {
    var device = try filters()
    _ = try send(focus(work), to: &device)
    #expect(device.encoded.first == 254)
    #expect(try Device(decoding: device.encoded) == device)
    let none = TimelineSource { _ in Timeline(submitted: [], policy: .never) }
    let restored = try Device(stored: device.stored(.included), none)
    #expect(restored.focusFilters == device.focusFilters)
    #expect(restored.initialFocusFilterStates(of: mail) == device.initialFocusFilterStates(of: mail))
    for key in [try key(work, of: mail), try key(sleep, of: mail), try key(work, of: chat)] {
      _ = try send(.focusFilterRemoved(key), to: &device)
    }
    #expect(device.encoded.first == 14 && device.focusFilters.isEmpty)
    let withoutAny = [UInt8(254)] + device.encoded + [0]
    #expect(throws: BinaryDecodingError.self) { try Device(decoding: withoutAny) }
  }

  @Test("S11 The descriptions of types without filters are stored as before, and others with one more bit")
  func storedTypes() throws {
    let (filter, plain) = (try type(of: mail), try type(of: mail, isFocusFilter: false))
    #expect(try IntentTypeDescriptor(decoding: filter.encoded) == filter)
    #expect(try IntentTypeDescriptor(decoding: plain.encoded) == plain)
    let changed = zip(filter.encoded, plain.encoded).filter { $0 != $1 }
    #expect(filter.encoded.count == plain.encoded.count && changed.map(\.0) == [3] && changed.map(\.1) == [1])
  }

  @Test("S11 A stored filter of a type that is not registered for filters is corrupt")
  func corrupt() throws {
    let device = try filters()
    let name = [UInt8]("Filter".utf8)
    let places = device.encoded.indices.filter { device.encoded[$0...].starts(with: name) }
    // The types of both apps, and three intents.
    #expect(places.count == 5)
    var bytes = device.encoded
    bytes[try #require(places.last)] = UInt8(ascii: "X")
    let error = #expect(throws: BinaryDecodingError.self) { try Device(decoding: bytes) }
    #expect(error?.reason.contains("not registered") == true)
  }

  // MARK: Removal

  @Test("W6 S11 Removing an intent type or an app ends and removes its filters, and registering it otherwise does so")
  func removal() throws {
    var device = try filters()
    _ = try send(focus(work), to: &device)
    var (other, plain) = (device, device)
    let removed = try send(.intentTypesRemoved(mail, [try IntentType("Filter")]), to: &device)
    #expect(removed == ["mail: Filter()"] && device.focusFilters.map(\.app) == [chat])
    #expect(!device.encoded.contains("office"))
    let left = try send(.appRemoved(chat), to: &other)
    #expect(left == ["chat: Filter()"])
    #expect(other.focusFilters.map(\.app) == [mail, mail] && !other.encoded.contains("team"))
    let changed = try send(.intentTypesRegistered(mail, [try type(of: mail, isFocusFilter: false)]), to: &plain)
    #expect(changed == ["mail: Filter()"] && plain.focusFilters.map(\.app) == [chat])
    // No filter is in force.
    _ = try send(focus(nil), to: &plain)
    let none = try send(.intentTypesRemoved(chat, [try IntentType("Filter")]), to: &plain)
    #expect(none.isEmpty && plain.focusFilters.isEmpty)
    for device in [device, other, plain] { #expect(try Device(decoding: device.encoded) == device) }
  }

  // MARK: Checks

  private func error(_ event: Event, _ device: Device, _ limits: Limits = .default) -> String? {
    do {
      try device.check(event, limits: limits)
      return nil
    } catch {
      return "\(error.code) \(error.field): \(error.reason)"
    }
  }

  @Test("S11 Values must be of declared parameters and their types; other types and too many filters are rejected")
  func errors() throws {
    let device = try filters()
    let unknown = try Habitat.intent("Filter", [("colour", .string("red"))])
    #expect(
      error(.focusFilterSet(mail, work, unknown), device)
        == "invalidArgument intent.parameters.colour: intent type Filter has no such parameter")
    let wrong = try Habitat.intent("Filter", [("account", .integer(1))])
    #expect(
      error(.focusFilterSet(mail, work, wrong), device)
        == "invalidArgument intent.parameters.account: value must be of type object")
    #expect(
      error(.focusFilterSet(mail, work, try intent("a", "Other")), device)?
        .hasPrefix("failedPrecondition intent.type: ") == true)
    let app = try Habitat.app("none")
    #expect(
      error(.focusFilterSet(app, work, try intent("a")), device)?.hasPrefix("failedPrecondition intent.type") == true)
    var limits = Limits()
    limits.focusFilterCountMax = 3
    #expect(error(.focusFilterSet(mail, work, try intent("b")), device, limits) == nil, "it replaces one")
    #expect(
      error(.focusFilterSet(chat, sleep, try intent("b")), device, limits)
        == "resourceExhausted : 4 exceeds focus-filter-count-max (3)")
    #expect(device.limitUses.first { $0.limit == "focus-filter-count-max" }?.count == 3)
  }

  @Test("S11 Filters count against the sizes of configurations, descriptions and the device")
  func sizes() throws {
    var device = try filters()
    func tagged(_ count: Int) throws -> Event {
      let tags = [IntentValue](repeating: .string(String(repeating: "x", count: 1_000)), count: count)
      let parameter = IntentParameter(name: try .init("tags"), value: .array(tags))
      return .focusFilterSet(mail, work, try Intent(type: IntentType("Filter"), parameters: [parameter]))
    }
    let large = try tagged(9)
    #expect(error(large, device)?.hasPrefix("resourceExhausted intent: ") == true)
    #expect(error(large, device)?.contains(" exceeds configuration-size-max (8192)") == true)
    let before = device.storedSize
    let medium = try tagged(1)
    var limits = Limits()
    limits.deviceSizeMax = before + 900
    #expect(error(medium, device, limits)?.contains(" exceeds device-size-max (") == true)
    limits = Limits()
    limits.descriptionSizeMax = 1_000
    #expect(error(medium, device, limits)?.contains(" exceeds description-size-max (1000)") == true)
    _ = try send(medium, to: &device)
    #expect(device.storedSize > before + 900)
    #expect(try Device(decoding: device.encoded).storedSize == device.storedSize)
    _ = try send(.focusFilterSet(mail, work, try intent("office")), to: &device)
    #expect(device.storedSize == before)
  }
}

extension [UInt8] {
  /// Whether the text occurs in the bytes.
  fileprivate func contains(_ text: String) -> Bool {
    let bytes = [UInt8](text.utf8)
    return indices.contains { self[$0...].starts(with: bytes) }
  }
}
