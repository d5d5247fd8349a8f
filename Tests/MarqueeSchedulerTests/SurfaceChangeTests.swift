import MarqueeModel
import MarqueeScheduler
import Testing

/// When the lists of surfaces can change without an event.
@Suite struct SurfaceChangeTests {
  private static let station: Place = {
    do { return try Place(latitude: 52.52, longitude: 13.37, display: "Station") } catch { preconditionFailure() }
  }()

  /// A train at 18:00 of the first day, with check-in from 9:00 to 17:30 and a travel time of 25 minutes.
  private static func trip() throws -> Habitat {
    var life = try Habitat()
    let train = try Reservation(
      item: DisplayIdentity(identifier: "ICE 5", display: "ICE 5"), start: Habitat.time(0, 18), place: station,
      checkIn: try DateWindow(start: Habitat.time(0, 9), end: Habitat.time(0, 17, 30)), travelTime: .minutes(25))
    try life.donate("rail", .reservations(try Intent(type: .reservationDetails), [train]), at: life.device.now)
    return life
  }

  /// Returns the instants of the changes of a surface, until `end`.
  private static func changes(_ life: Habitat, _ surface: SuggestionSurface, until end: Instant) -> [Instant] {
    var (life, found) = (life, [Instant]())
    while let next = life.device.nextSurfaceChange(on: surface), next <= end {
      found.append(next)
      life.advance(to: next)
    }
    return found
  }

  @Test("S9 Without donations, no list changes by time alone")
  func empty() throws {
    let life = try Habitat()
    #expect(SuggestionSurface.allCases.allSatisfy { life.device.nextSurfaceChange(on: $0) == nil })
  }

  @Test("S9 The list of notifications changes exactly when an errand becomes due, and when it ends")
  func errands() throws {
    let times = [Habitat.time(0, 9), Habitat.time(0, 17, 30), Habitat.time(0, 17, 35), Habitat.time(0, 18)]
    #expect(Self.changes(try Self.trip(), .notifications, until: .max) == times)
    var arrived = try Self.trip()
    try arrived.report(.contextChanged(.place(Self.station)), at: arrived.device.now)
    #expect(Self.changes(arrived, .notifications, until: .max) == [times[0], times[1]])
    #expect(arrived.device.nextSurfaceChange(on: .shareSheet) == nil)
  }

  @Test("S9 The end of a suppression and of a snooze is a change of the list")
  func suppression() throws {
    var life = try Self.trip()
    life.advance(to: Habitat.time(0, 10))
    let id = try #require(life.device.suggestions(on: .notifications, count: 1).first).id
    try life.report(.surfaceSuggestion(.shareSheet, id, .dismissed), at: life.device.now)
    #expect(life.device.nextSurfaceChange(on: .shareSheet) == life.device.now.advanced(by: Device.dismissalMax))
    #expect(life.device.nextSurfaceChange(on: .notifications) == Habitat.time(0, 17, 30))
    try life.report(.appSuggestionSnoozed(Habitat.app("rail"), until: Habitat.time(0, 11)), at: life.device.now)
    #expect(life.device.nextSurfaceChange(on: .notifications) == Habitat.time(0, 11))
    #expect(life.device.suggestions(on: .notifications, count: 1).isEmpty)
    life.advance(to: Habitat.time(0, 11))
    #expect(life.device.suggestions(on: .notifications, count: 1).map(\.id) == [id])
  }

  @Test("S9 The gallery changes when a donation is no longer counted, and the watch face with its windows")
  func galleryAndWatchFace() throws {
    var life = try Habitat()
    try life.register("soup", "Order", [("soup", .object)], [["soup"]])
    for day in 0..<3 { try life.donate("soup", "Order", [("soup", Habitat.object("leek"))], at: Habitat.time(day, 12)) }
    let expiries = (0..<3).map { Habitat.time($0 + 28, 12).advanced(by: TimeSpan(milliseconds: 1)) }
    #expect(Self.changes(life, .shortcutsGallery, until: .max) == expiries)
    let (start, end) = (Habitat.time(4, 9), Habitat.time(4, 10))
    let shortcut = try RelevantShortcut(
      intent: try Intent(type: IntentType("Order")), role: .action,
      providers: [.date(try DateWindow(start: start, end: end))])
    try life.send(.relevantShortcutsSet(try Habitat.app("soup"), [shortcut]))
    #expect(Self.changes(life, .watchFace, until: end).filter { [start, end].contains($0) } == [start, end])
  }

  @Test("S9 While an action is likely every step is a change, and while none is, the list is computed once an hour")
  func steps() throws {
    var life = try Habitat()
    try life.register("soup", "Order", [("soup", .object)], [["soup"]])
    for day in 0..<14 {
      try life.donate("soup", "Order", [("soup", Habitat.object("leek"))], at: Habitat.time(day, 12))
    }
    life.advance(to: Habitat.time(14, 0))
    let changes = Self.changes(life, .lockScreen, until: Habitat.time(15, 0))
    var (changed, listedCount) = ([Instant](), 0)
    var list = life.device.suggestions(on: .lockScreen, count: 1)
    for minute in 1...(24 * 60) {
      life.advance(to: Habitat.time(14, 0, minute))
      let new = life.device.suggestions(on: .lockScreen, count: 1)
      if new != list { changed.append(life.device.now) }
      if !new.isEmpty { listedCount += 1 }
      list = new
    }
    #expect(listedCount >= 30 && changed.count > 3 && Set(changed).isSubset(of: changes), "\(changed)")
    // A likely stretch, which a search of an hour finds at its beginning, is between two unlikely ones.
    let gaps = zip([Habitat.time(14, 0)] + changes, changes).map { $0.span(to: $1) }
    let likely = try #require(gaps.firstIndex(of: .minutes(5)))
    let rest = try #require(gaps[likely...].firstIndex { $0 != .minutes(5) })
    #expect(likely > 5 && rest - likely >= listedCount / 5 && gaps[likely - 1] <= .hours(1))
    #expect((gaps[..<(likely - 1)] + gaps[rest...]).allSatisfy { $0 == .hours(1) }, "\(gaps)")
  }

  @Test("S9 A change of the UTC offset within a step is a change")
  func offsets() throws {
    var life = try Habitat()
    try life.register("soup", "Order", [("soup", .object)], [["soup"]])
    let change = Habitat.time(14, 12, 2)
    // At the change, the local time is 13:04.
    let steps = [(Habitat.monday, 0), (change, 3_720)].map { UTCOffsets.Step(start: $0.0, seconds: $0.1) }
    try life.send(.utcOffsetsLearned(try UTCOffsets(zone: try TimeZoneID("UTC"), steps: steps, end: .max)))
    for day in 0..<14 {
      for hour in [12, 13] {
        try life.donate("soup", "Order", [("soup", Habitat.object("leek"))], at: Habitat.time(day, hour, 10))
      }
    }
    life.advance(to: Habitat.time(14, 12, 1))
    for next in [change, Habitat.time(14, 12, 3), Habitat.time(14, 12, 8)] {
      #expect(!life.device.suggestions(on: .search, count: 1).isEmpty)
      #expect(life.device.nextSurfaceChange(on: .search) == next)
      life.advance(to: next)
    }
  }

  @Test("S9 The errands of a blocked app are no changes, and those of a snoozed app are after the end of the snooze")
  func blocked() throws {
    let (rail, snoozeEnd) = (try Habitat.app("rail"), Habitat.time(0, 17))
    var life = try Self.trip()
    try life.report(.appSuggestionSnoozed(rail, until: snoozeEnd), at: life.device.now)
    let times = [snoozeEnd, Habitat.time(0, 17, 30), Habitat.time(0, 17, 35), Habitat.time(0, 18)]
    #expect(Self.changes(life, .notifications, until: .max) == times)
    try life.report(.appSuggestionBlocked(rail, true), at: life.device.now)
    #expect(Self.changes(life, .notifications, until: .max) == [])
  }
}
