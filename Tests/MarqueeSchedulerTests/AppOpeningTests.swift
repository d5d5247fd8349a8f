import MarqueeModel
import MarqueeScheduler
import Testing

/// Openings of apps, which are learned without donations (rule P8).
@Suite struct AppOpeningTests {
  private static let kind: WidgetKind = {
    do { return WidgetKind(app: try Habitat.app("tea"), name: try KindName("Brew")) } catch {
      preconditionFailure("\(error)")
    }
  }()
  private static var shortcut: Event {
    get throws { .relevantShortcutsSet(kind.app, [try RelevantShortcut(kind: kind.name)]) }
  }

  /// Seven days on which the user opens an app that donates nothing, between 09:10 and 09:14, among other activity.
  private static func mornings(days: Int = 7) throws -> Habitat {
    var life = try Habitat()
    try life.registerFilling()
    try life.send(
      .kindsRegistered(kind.app, [try WidgetDescriptor(kind: kind, displayName: "", families: [.systemSmall])]))
    try life.stack([])
    for day in 0..<days {
      try life.report(.appOpened(kind.app), at: Habitat.time(day, 9, 10 + day % 5))
      try life.report(.appClosed(kind.app), at: Habitat.time(day, 9, 20))
      try life.fill(day)
    }
    return life
  }

  private static func offers(_ life: Habitat, on surface: SuggestionSurface) -> Bool {
    life.device.suggestions(on: surface, count: 10).contains {
      guard case .action(let action) = $0.subject else { return false }
      return action.isAppOpening && action.app == kind.app
    }
  }

  @Test("P8 S4 An app opened on seven mornings makes its shortcut without providers relevant on the eighth")
  func shortcut() throws {
    var life = try Self.mornings()
    try life.send(try Self.shortcut)
    let count = life.output.count
    life.advance(to: Habitat.time(7, 12))
    let output = life.output.dropFirst(count)
    #expect(output.first?.hasSuffix("suggest Brew") ?? false, "\(output)")
    let start = Habitat.text(Habitat.time(7, 8, 35)), end = Habitat.text(Habitat.time(7, 9, 15))
    #expect(output.first.map { $0 >= start && $0 < end } ?? false, "\(output)")
  }

  @Test("P8 An app that was opened twice makes nothing relevant")
  func twice() throws {
    var life = try Self.mornings(days: 2)
    try life.send(try Self.shortcut)
    let count = life.output.count
    life.advance(to: Habitat.time(3, 12))
    #expect(life.output.count == count)
    #expect(!Self.offers(life, on: .search))
  }

  @Test("P8 Opening the app is suggested when it is likely, and not in the gallery or on the watch face")
  func suggested() throws {
    var life = try Self.mornings()
    life.advance(to: Habitat.time(7, 8, 55))
    #expect(Self.offers(life, on: .search) && Self.offers(life, on: .suggestionsWidget))
    #expect(!Self.offers(life, on: .shortcutsGallery) && !Self.offers(life, on: .watchFace))
    let likely = try #require(life.device.likelyActions(count: 1).first)
    #expect(likely.action.isAppOpening && likely.display.title == "Open tea" && likely.probability > 0.5)
    life.advance(to: Habitat.time(7, 15))
    #expect(!Self.offers(life, on: .search))
  }

  @Test("P8 An action that usually follows the opening of its app is suggested instead of the opening")
  func specific() throws {
    var life = try Habitat()
    try life.registerFilling()
    try life.register("tea", "OrderTea", [("kind", .object)], [["kind"]])
    for day in 0..<8 {
      try life.report(.appOpened(Self.kind.app), at: Habitat.time(day, 9, 10 + day % 5))
      try life.donate("tea", "OrderTea", [("kind", Habitat.object("green"))], at: Habitat.time(day, 9, 16 + day % 5))
      try life.fill(day)
    }
    life.advance(to: Habitat.time(8, 8, 55))
    let subjects = life.device.suggestions(on: .search, count: 10).map(\.subject).filter { $0.app == Self.kind.app }
    #expect(subjects.count == 1 && !Self.offers(life, on: .search), "\(subjects)")
  }

  @Test("P8 Openings of an app without anything on the device are not learned")
  func unknown() throws {
    var life = try Self.mornings(days: 0)
    try life.report(.appOpened(try Habitat.app("other")), at: Habitat.time(0, 9))
    #expect(life.device.donationCount() == 0)
    try life.report(.appOpened(Self.kind.app), at: Habitat.time(0, 10))
    #expect(life.device.donationCount(of: Self.kind.app) == 1)
  }

  @Test("P8 D5 After a deletion of the app's donations, its openings are as if they had never happened")
  func deleted() throws {
    var life = try Self.mornings()
    try life.send(.donationsDeleted(Self.kind.app, .everything))
    var other = try Habitat()
    try other.registerFilling()
    for day in 0..<7 { try other.fill(day) }
    let fillings = other.device.likelyActions(count: 10).map(\.probability)
    #expect(life.device.likelyActions(count: 10).map(\.probability) == fillings)
    #expect(life.device.donationCount(of: Self.kind.app) == 0)
  }

  @Test("P8 Openings are trimmed with the donations of the app, and the work is known before")
  func trimmed() throws {
    let life = try Self.mornings()
    var limits = Limits.default
    limits.appDonationCountMax = 7
    let opening = Event.reported(.appOpened(Self.kind.app))
    let donation = try #require(life.device.donation(impliedBy: opening))
    #expect(life.device.makingRoom(for: donation, limits: limits) == [.donationsTrimmed(Self.kind.app, keeping: 6)])
    #expect(life.device.learnedDonationCount(by: opening, limits: limits) == life.device.donationCount() + 1)
    #expect(life.device.learnedDonationCount(by: opening, limits: .default) == 1)
    // A second opening is later than the device's present, so it replaces nothing.
    var again = life
    try again.report(.appOpened(Self.kind.app), at: Habitat.time(8, 9))
    #expect(again.device.learnedDonationCount(by: opening, limits: .default) == 1)
  }
}
