import MarqueeModel
import MarqueeScheduler
import Testing

/// Habits that follow an arrival or a Focus at varying hours.
@Suite struct ArrivalRuleTests {
  private static let minutes = [550, 780, 990, 610, 1_130, 700, 860, 520, 1_050, 930, 640, 1_180, 750, 590]

  private static func gym() throws -> Place { try Place(latitude: 52.5, longitude: 13.4, display: "") }
  private static func home() throws -> Place { try Place(latitude: 52.6, longitude: 13.5, display: "") }

  /// Two weeks in which `trigger` is reported at a varying time, an action follows, and `end` is reported later.
  private static func life(_ trigger: ContextChange, _ end: ContextChange) throws -> Habitat {
    var life = try Habitat()
    try life.register("gym", "StartWorkout", [("kind", .object)], [["kind"]])
    try life.report(.contextChanged(end), at: Habitat.time(0, 1))
    for (day, minute) in minutes.enumerated() {
      try life.report(.contextChanged(trigger), at: Habitat.time(day, 0, minute))
      try life.donate(
        "gym", "StartWorkout", [("kind", Habitat.object("run"))], at: Habitat.time(day, 0, minute + 5 + day % 5))
      try life.report(.contextChanged(end), at: Habitat.time(day, 0, minute + 90))
    }
    return life
  }

  private static func probability(_ life: Habitat) -> Double {
    life.device.likelyActions(count: 1).first?.probability ?? 0
  }

  @Test("P7 What follows an arrival or a Focus is predicted at it, at any hour, and not without it", arguments: [0, 1])
  func triggers(index: Int) throws {
    let focus = ContextChange.focus(try FocusID("fitness"))
    let (trigger, end) =
      index == 0 ? (ContextChange.place(try Self.gym()), ContextChange.place(try Self.home())) : (focus, .focus(nil))
    for minute in [570, 830, 1_100] {
      var life = try Self.life(trigger, end)
      life.advance(to: Habitat.time(Self.minutes.count, 0, minute))
      let without = Self.probability(life)
      try life.report(.contextChanged(trigger), at: Habitat.time(Self.minutes.count, 0, minute))
      let with = Self.probability(life)
      #expect(with >= 0.7 && without <= 0.05, "\(minute): \(with), \(without)")
    }
  }

  @Test("P7 Reporting the same place again is no arrival")
  func samePlace() throws {
    var life = try Self.life(.place(try Self.gym()), .place(try Self.home()))
    let day = Self.minutes.count
    try life.report(.contextChanged(.place(try Self.gym())), at: Habitat.time(day, 9))
    let atArrival = Self.probability(life)
    try life.report(.contextChanged(.place(try Self.gym())), at: Habitat.time(day, 11))
    let (later, since) = (Self.probability(life), life.device.context.placeSince)
    #expect(atArrival >= 0.7 && later <= 0.3, "\(atArrival), \(later)")
    #expect(since == Habitat.time(day, 9))
  }
}
