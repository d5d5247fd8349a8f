import MarqueeEvaluation
import Testing

@Suite struct ReplayTests {
  private typealias Front = ReplayScores.Front

  private static let midnight: Int64 = 1_704_067_200_000  // 2024-01-01

  /// A log of one person: each line is a day of January 2024, a time of day and an item.
  private func person(_ lines: String...) throws -> HabitLog.Person {
    let text = lines.map { line in
      let words = line.split(separator: " ")
      return "p\t2024-01-\(words[0])T\(words[1])\topen\t\(words[2])\t\(words.count > 3 ? words[3] : "")"
    }.joined(separator: "\n")
    return try HabitLog(bytes: Array(text.utf8)).people[0]
  }

  private func time(_ day: Int, _ hour: Int, _ minute: Int, _ milliseconds: Int64 = 0) -> Int64 {
    Self.midnight + Int64(((day - 1) * 24 + hour) * 60 + minute) * 60_000 + milliseconds
  }

  @Test("The last days are replayed; the stack contains the items used most before them")
  func plan() throws {
    let person = try person(
      "02 08:00 mail", "02 09:00 maps", "04 08:00 maps", "04 09:00 notes", "04 10:00 mail", "05 10:00 notes home",
      "06 08:00 notes", "06 08:00 notes", "06 08:00 later work", "06 09:00 notes")
    let plan = try #require(ReplayPlan(person, dayCount: 2, itemCountMax: 2))
    #expect(plan.items.map { person.items[$0].parameter } == ["mail", "maps"])
    #expect(plan.history.count == 5 && plan.uses.count == 5 && plan.activeDayCount == 2)
    #expect((plan.start, plan.end) == (time(5, 0, 0), time(7, 0, 0)))
    #expect(plan.history.first?.at == time(2, 8, 0, 1))
    #expect(Array(plan.uses.map(\.at).dropFirst()) == (1...3).map { time(6, 8, 0, $0) } + [time(6, 9, 0, 1)])
    #expect(plan.uses.map(\.place) == [0, nil, nil, 1, nil])
    let three = try #require(ReplayPlan(person, dayCount: 2, itemCountMax: 9))
    #expect(three.items.map { person.items[$0].parameter } == ["mail", "maps", "notes"])
  }

  @Test("People with too few earlier days are not replayed")
  func shortHistory() throws {
    let person = try person("01 08:00 mail", "01 09:00 mail", "03 08:00 mail", "04 08:00 mail")
    #expect(ReplayPlan(person, dayCount: 1, itemCountMax: 2) != nil)
    #expect(ReplayPlan(person, dayCount: 2, itemCountMax: 2) == nil)
    #expect(ReplayPlan(person, dayCount: 3, itemCountMax: 2) == nil)
  }

  /// Mail and maps in a stack, and a day of six uses, one of them of something else.
  private func day() throws -> ReplayPlan {
    try #require(
      ReplayPlan(
        try person(
          "01 08:00 mail", "01 09:00 mail", "01 10:00 maps", "02 08:00 maps", "02 08:20 mail", "02 08:40 other",
          "02 12:00 maps", "02 12:00 maps", "02 12:10 mail"), dayCount: 1, itemCountMax: 2))
  }

  @Test("A rotation comes true by a use within half an hour after it, and is seen if no other rotation was before that")
  func rotations() throws {
    let (mail, maps) = (0, 1)
    let scores = ReplayScores(
      try day(),
      fronts: [
        Front(at: time(2, 0, 0), item: mail),
        // True, for the use is after half an hour to the millisecond.
        Front(at: time(2, 7, 30, 1), item: maps),
        // True, but taken away before the use.
        Front(at: time(2, 8, 5), item: mail), Front(at: time(2, 8, 10), item: maps),
        // At the instant of a use comes after it: the next one is half an hour and a millisecond away.
        Front(at: time(2, 8, 20, 1), item: mail),
        // Too early.
        Front(at: time(2, 11, 30), item: maps),
        // True and seen, the last one.
        Front(at: time(2, 12, 0, 1), item: mail),
      ])
    #expect(scores.rotationCount == 6 && scores.activeDayCount == 1 && scores.personCount == 1)
    #expect(scores.useCount == 6 && scores.memberUseCount == 5)
    #expect(scores.choices[.marquee]?.trueCount == 3 && scores.seenCount == 2)
    #expect(scores.precision(.marquee) == 0.5 && scores.changesPerDay(.marquee) == 6)
  }

  @Test("The front at a use is the one set before it")
  func uses() throws {
    let (mail, maps) = (0, 1)
    let scores = ReplayScores(
      try day(),
      fronts: [
        Front(at: time(2, 0, 0), item: mail), Front(at: time(2, 8, 0), item: maps),
        Front(at: time(2, 8, 20, 1), item: mail), Front(at: time(2, 12, 0, 1), item: maps),
      ])
    // Hit: maps at 8:00 and the second time at 12:00.
    #expect(scores.choices[.marquee]?.hitCount == 2)
    #expect(scores.hitRate(.marquee) == 0.4)
  }

  @Test("The baselines are the most used item and the most recently used item")
  func baselines() throws {
    let (mail, maps) = (0, 1)
    let scores = ReplayScores(
      try day(),
      fronts: [
        Front(at: time(2, 0, 0), item: mail), Front(at: time(2, 8, 0), item: maps),
        Front(at: time(2, 12, 5), item: mail),
      ])
    let (frequent, recent) = (try #require(scores.choices[.mostFrequent]), try #require(scores.choices[.mostRecent]))
    // Mail is used at 8:20 and 12:10; it was not in front at any of the three uses of maps.
    #expect(frequent == choice(changes: 0, trues: 2, hits: 2))
    // Maps was used last before the day. At 8:00 maps is used after the rotation; at 12:05 maps are not used again.
    #expect(recent == choice(changes: 3, trues: 1, hits: 2))
  }

  private func choice(changes: Int, trues: Int, hits: Int) -> ReplayScores.Choice {
    ReplayScores.Choice(changeCount: changes, trueCount: trues, hitCount: hits)
  }

  @Test("Scores of several people are summed, and shares without data are nil")
  func sum() throws {
    let plan = try day()
    var all = ReplayScores()
    #expect(all.precision(.marquee) == nil && all.hitRate(.mostRecent) == nil && all.seenShare == nil)
    let still = ReplayScores(plan, fronts: [Front(at: plan.start, item: 0)])
    #expect(still.precision(.marquee) == nil && still.changesPerDay(.marquee) == 0 && still.hitRate(.marquee) == 0.4)
    let moved = ReplayScores(plan, fronts: [Front(at: plan.start, item: 0), Front(at: time(2, 8, 0), item: 1)])
    all += still
    all += moved
    #expect(all.personCount == 2 && all.useCount == 12 && all.activeDayCount == 2 && all.rotationCount == 1)
    #expect(all.precision(.marquee) == 1 && all.hitRate(.marquee) == 0.5 && all.changesPerDay(.marquee) == 0.5)
  }
}
