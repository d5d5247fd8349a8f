import MarqueeModel
import MarqueeScheduler
import Testing

/// The recent donations that the lock screen and search list in developer mode (rule S12).
@Suite struct RecentDonationTests {
  private static let surfaces: [SuggestionSurface] = [.lockScreen, .search]

  private static func soup() throws -> Habitat {
    var life = try Habitat()
    try life.register(
      "soup", "OrderSoup", [("soup", .object), ("quantity", .integer)], [["soup"], ["soup", "quantity"]])
    return life
  }

  private static func order(_ life: inout Habitat, _ soup: String, hour: Int, quantity: Int64 = 1) throws {
    try life.donate(
      "soup", "OrderSoup", [("soup", Habitat.object(soup)), ("quantity", .integer(quantity))],
      at: Habitat.time(0, hour))
  }

  /// Whether a surface lists a recent donation.
  private static func hasRecent(_ life: Habitat, _ surface: SuggestionSurface) -> Bool {
    life.device.suggestions(on: surface, count: 9).contains { if case .donated = $0.reason { true } else { false } }
  }

  private static func soups(_ life: Habitat, _ surface: SuggestionSurface, count: Int = 9) -> [String] {
    life.device.suggestions(on: surface, count: count).compactMap {
      guard case .action(.intent(_, let intent)) = $0.subject,
        case .single(.object(let soup))? = intent.parameters.first(where: { $0.name.text == "soup" })?.value
      else { return nil }
      return soup.identifier
    }
  }

  @Test("S12 Developer mode lists the latest donations on the lock screen and in search, newest first, each once")
  func listed() throws {
    var life = try Self.soup()
    try Self.order(&life, "tomato", hour: 9)
    try Self.order(&life, "lentil", hour: 10)
    try Self.order(&life, "tomato", hour: 11)
    for surface in SuggestionSurface.allCases { #expect(!Self.hasRecent(life, surface)) }
    try life.send(.developerModeChanged(true))
    for surface in Self.surfaces {
      #expect(Self.soups(life, surface) == ["tomato", "lentil"])
      #expect(Self.soups(life, surface, count: 1) == ["tomato"])
      let first = try #require(life.device.suggestions(on: surface, count: 1).first)
      #expect(first.reason == .donated(at: Habitat.time(0, 11)) && first.confidence == 1)
      #expect(
        first.reason.words() == "a recent donation, made at 2021-06-07T11:00:00Z, which developer mode shows")
      guard case .action(.intent(_, let intent)) = first.subject else { throw RequestError(.notFound, "no intent") }
      #expect(intent.parameters.count == 2, "the most specific combination")
    }
    for surface in SuggestionSurface.allCases where !Self.surfaces.contains(surface) {
      #expect(!Self.hasRecent(life, surface), "\(surface)")
    }
    try life.send(.developerModeChanged(false))
    for surface in Self.surfaces { #expect(!Self.hasRecent(life, surface)) }
  }

  @Test("S12 Received messages, types that are not eligible, and blocked apps are not listed; predictions follow")
  func eligible() throws {
    var life = try Self.soup()
    let app = try Habitat.app("soup")
    try life.send(.developerModeChanged(true))
    for day in 0..<10 {
      try life.donate("soup", "OrderSoup", [("soup", Habitat.object("tomato"))], at: Habitat.time(day, 12))
    }
    let sender = ("sender", IntentValue.person(DisplayIdentity(identifier: "aga", display: "")))
    try life.donate(
      "soup", .received(try Habitat.intent("INSendMessageIntent", [sender])), at: Habitat.time(10, 11))
    try life.donate("soup", "Unregistered", [], at: Habitat.time(10, 11, 30))
    try life.donate("soup", "OrderSoup", [("soup", Habitat.object("lentil"))], at: Habitat.time(10, 11, 45))
    life.advance(to: Habitat.time(10, 11, 55))
    let listed = life.device.suggestions(on: .search, count: 9)
    #expect(Self.soups(life, .search) == ["lentil", "tomato"])
    #expect(listed.allSatisfy { if case .donated = $0.reason { true } else { false } }, "each action is listed once")
    try life.report(.appSuggestionBlocked(app, true), at: life.device.now)
    #expect(Self.soups(life, .search) == [])
    try life.report(.appSuggestionBlocked(app, false), at: life.device.now)
    let type = try IntentTypeDescriptor(
      app: app, type: IntentType("OrderSoup"), parameters: [], combinations: [], isEligibleForSuggestions: false)
    try life.send(.intentTypesRegistered(app, [type]))
    #expect(Self.soups(life, .search) == [])
  }

  @Test("S12 A dismissed donation does not return on the surface until the action is donated again")
  func dismissed() throws {
    var life = try Self.soup()
    // A habit, so that the action is also among the predictions, with a low probability at other times.
    for day in 0..<10 {
      try life.donate("soup", "OrderSoup", [("soup", Habitat.object("tomato"))], at: Habitat.time(day, 12))
    }
    try life.send(.developerModeChanged(true), at: Habitat.time(9, 15))
    let id = try #require(life.device.suggestions(on: .search, count: 1).first).id
    try life.report(.surfaceSuggestion(.search, id, .dismissed), at: Habitat.time(9, 15, 1))
    #expect(Self.soups(life, .search) == [] && Self.soups(life, .lockScreen) == ["tomato"])
    for hours in [0, 1, 5, 11] {
      life.advance(to: Habitat.time(9, 16 + hours))
      #expect(Self.soups(life, .search) == [], "after \(hours) hours")
      try life.store()
    }
    life.advance(to: Habitat.time(12, 3))
    #expect(Self.soups(life, .search) == [])
    try life.send(.developerModeChanged(false))
    try life.send(.developerModeChanged(true))
    #expect(Self.soups(life, .search) == [])
    try life.donate("soup", "OrderSoup", [("soup", Habitat.object("tomato"))], at: Habitat.time(12, 4))
    #expect(Self.soups(life, .search) == ["tomato"])
    // The encoding marks identifiers and dismissals, and does not without them.
    #expect(life.device.encoded.prefix(2) == [250, 253])
    try life.send(.donationsDeleted(try Habitat.app("soup"), .everything))
    #expect(life.device.encoded.first != 253)
  }

  @Test("S12 A dismissed donation that is also a habit is suppressed no longer than its prediction")
  func episode() throws {
    var plain = try Self.soup()
    for day in 0..<10 {
      try plain.donate("soup", "OrderSoup", [("soup", Habitat.object("tomato"))], at: Habitat.time(day, 12))
    }
    plain.advance(to: Habitat.time(10, 3))
    var life = plain
    try life.send(.developerModeChanged(true))
    let id = try #require(life.device.suggestions(on: .search, count: 1).first).id
    for hour in [3, 11, 12, 16] {
      plain.advance(to: Habitat.time(10, hour, 50))
      life.advance(to: Habitat.time(10, hour, 50))
      if hour == 3 {
        try plain.report(.surfaceSuggestion(.search, id, .dismissed), at: plain.device.now)
        try life.report(.surfaceSuggestion(.search, id, .dismissed), at: life.device.now)
      }
      let listed = life.device.suggestions(on: .search, count: 9)
      #expect(listed == plain.device.suggestions(on: .search, count: 9), "at \(hour):50")
      if hour == 11 { #expect(Self.soups(life, .search) == ["tomato"]) }
    }
  }

  @Test("S12 The change of the mode is a change of the surfaces")
  func changes() {
    #expect(Event.developerModeChanged(true).affectsSurfaces)
  }
}
