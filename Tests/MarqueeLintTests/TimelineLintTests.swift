import MarqueeLint
import MarqueeModel
import Testing

@Suite struct TimelineLintTests {
  @Test("L Entries out of order are reported, with the first one and their number")
  func unsorted() throws {
    let lint = Lint(Lint.entry(30), Lint.entry(10), Lint.entry(20), Lint.entry(0))
    #expect(lint.codes == [.entriesUnsorted])
    let warning = try #require(lint.warning(.entriesUnsorted))
    #expect(warning.index == 1)
    #expect(
      warning.message == "entry 1 is dated before entry 0, and likewise for 1 more; entries were sorted")
    #expect(Lint(Lint.entry(0), Lint.entry(10), Lint.entry(20)).codes.isEmpty)
  }

  @Test("L Entries of one date are reported at any position, and only the one sent last is examined")
  func sameDate() throws {
    let lint = Lint(
      try Lint.entry(0, 1, 60), Lint.entry(10), try Lint.entry(0, 2, 600), try Lint.entry(0, 3, 600))
    #expect(lint.codes == [.entriesUnsorted, .entriesSameDate])
    let warning = try #require(lint.warning(.entriesSameDate))
    #expect(warning.index == 2)
    #expect(
      warning.message == "entries 0 and 2 have one date, and likewise for 1 more; the one sent last stays")
    #expect(Lint(Lint.entry(0), Lint.entry(0)).codes == [.entriesSameDate])
  }

  @Test("L Entries less than five minutes apart are reported; five minutes suffice")
  func tooClose() throws {
    let lint = Lint(Lint.entry(0), Lint.entry(5), Lint.entry(9), Lint.entry(9.5))
    #expect(lint.codes == [.entriesTooClose])
    let warning = try #require(lint.warning(.entriesTooClose))
    #expect(warning.index == 2)
    #expect(warning.message.contains("entry 2 follows entry 1 after 4 min, and likewise for 1 more"))
    #expect(Lint((0..<4).map { Lint.entry(5 * Double($0)) }).codes.isEmpty)
    #expect(Lint((0..<4).map { Lint.entry(Double($0) / 60) }).codes == [.entriesTooClose])
    #expect(Lint(Lint.entry(9), Lint.entry(0), Lint.entry(5)).warning(.entriesTooClose)?.index == 0)
  }

  @Test("L Entries more than ten years in the past are reported, as if seconds had been sent as milliseconds")
  func longPast() throws {
    let second = try #require(Instant(milliseconds: 1_623_024_000))
    let lint = Lint(TimelineEntry(date: second), TimelineEntry(date: second.advanced(by: .hours(1))))
    #expect(lint.codes == [.entriesLongPast])
    let warning = try #require(lint.warning(.entriesLongPast))
    #expect(warning.index == 0)
    #expect(
      warning.message == "entry 0 is dated 18766.2 d before its publication, and likewise for 1 more; dates are in "
        + "milliseconds, and seconds may have been sent")
    #expect(Lint(Lint.entry(-60 * 24 * 3_652)).codes.isEmpty)
    #expect(Lint(Lint.entry(-60 * 24 * 3_652 - 1)).codes == [.entriesLongPast])
  }

  @Test("L A score that is equal at three or more entries is reported; two are too few")
  func constant() throws {
    #expect(try Lint(Lint.entry(0, 0), Lint.entry(60, 0), Lint.entry(120, 0)).codes == [.scoreConstant])
    #expect(try Lint(Lint.entry(0, -1), Lint.entry(60, -1), Lint.entry(120, -1)).codes == [.scoreConstant])
    #expect(try Lint(Lint.entry(0, 0), Lint.entry(60, 0), Lint.entry(120)).codes.isEmpty)
    #expect(try Lint(Lint.entry(0, 0), Lint.entry(60, 1), Lint.entry(120, 0)).codes.isEmpty)
    let hourly = Lint(try (0..<24).map { try Lint.entry(60 * Double($0), 100) })
    #expect(hourly.codes == [.scoreConstant, .scoreNeverZero, .scoreNeverCleared])
    #expect(hourly.warning(.scoreConstant)?.index == 0)
  }

  @Test("L Scores that differ and are never 0 or less are reported")
  func neverZero() throws {
    let rising = [try Lint.entry(0, 1, 3_600), try Lint.entry(60, 2, 3_600), try Lint.entry(120, 3, 3_600)]
    #expect(Lint(rising).codes == [.scoreNeverZero])
    #expect(Lint(rising + [Lint.entry(180)]).codes == [.scoreNeverZero])
    #expect(Lint(Array(rising.dropLast())).codes.isEmpty)
    #expect(Lint(rising + [try Lint.entry(180, 0)]).codes.isEmpty)
    #expect(Lint(rising + [try Lint.entry(180, -1)]).codes.isEmpty)
  }

  @Test("L Scores that end before the next ones begin count as zeros in between")
  func gaps() throws {
    let meetings = [try Lint.entry(540, 50, 1_800), try Lint.entry(660, 50, 1_800), try Lint.entry(840, 50, 1_800)]
    #expect(Lint(meetings).codes.isEmpty)
    let spelledOut = try meetings.flatMap { entry in
      let end = entry.date.advanced(by: .minutes(30))
      let zero = TimelineEntry(date: end, relevance: try TimelineEntryRelevance(score: 0))
      return [TimelineEntry(date: entry.date, relevance: try TimelineEntryRelevance(score: 50)), zero]
    }
    #expect(Lint(spelledOut).codes.isEmpty)
  }

  @Test("L A gap that results from a wrong unit does not count")
  func slips() throws {
    let lint = Lint(try Lint.entry(0, 3, 60), try Lint.entry(60, 5, 60), try Lint.entry(120, 2, 60))
    #expect(lint.codes == [.scoreNeverZero, .windowTooShort])
    let warning = try #require(lint.warning(.windowTooShort))
    #expect(warning.index == 0)
    #expect(warning.message.contains("the score of entry 0 holds for 1 min, and likewise for 2 more"))
  }

  @Test("L A positive score without an end is reported if it is the last; an entry without relevance clears nothing")
  func neverCleared() throws {
    let lint = Lint(try Lint.entry(0, 0), try Lint.entry(60, 5), Lint.entry(120))
    #expect(lint.codes == [.scoreNeverCleared])
    #expect(lint.warning(.scoreNeverCleared)?.index == 1)
    #expect(try Lint(Lint.entry(60, 5), Lint.entry(120, 0)).codes.isEmpty)
    #expect(try Lint(Lint.entry(60, 5), Lint.entry(120, -1)).codes.isEmpty)
    #expect(try Lint(Lint.entry(60, 5), Lint.entry(120, 2, 600)).codes.isEmpty)
    #expect(try Lint(Lint.entry(60, 5, 600), Lint.entry(120)).codes.isEmpty)
    #expect(try Lint(Lint.entry(120, 0), Lint.entry(60, 5)).codes == [.entriesUnsorted])
  }

  @Test("L Positive scores that all ended a day before the publication are reported, whatever ended them")
  func over() throws {
    let day = 24.0 * 60
    func codes(_ entries: TimelineEntry..., at minute: Double) -> [LintCode] {
      Lint(entries).with { $0 = LintContext(now: Lint.time(minute)) }.codes
    }
    let lint = Lint(try Lint.entry(0, 1, 600), try Lint.entry(60, 2, 600)).with {
      $0 = LintContext(now: Lint.time(70 + 2 * day))
    }
    #expect(lint.codes == [.scoreOver])
    let warning = try #require(lint.warning(.scoreOver))
    #expect(warning.index == 1)
    #expect(warning.message.hasPrefix("every positive score had ended 2 d before the publication: "))
    #expect(try codes(Lint.entry(0, 1, 600), at: 10 + day).isEmpty)
    #expect(try codes(Lint.entry(0, 1, 600), at: 10.1 + day) == [.scoreOver])
    // The next relevance and an expiry end a score, too.
    #expect(try codes(Lint.entry(0, 1), Lint.entry(60, 0), at: 60.1 + day) == [.scoreOver])
    #expect(try codes(Lint.entry(0, 1, expires: 30), at: 30.1 + day) == [.scoreOver])
    // One that is in force or ahead, or none that is positive.
    #expect(try codes(Lint.entry(0, 1, 600), Lint.entry(60, 1), at: 9 * day) == [.scoreNeverCleared])
    #expect(try codes(Lint.entry(0, 1, 600), Lint.entry(10 * day, 1, 600), at: 9 * day).isEmpty)
    #expect(try codes(Lint.entry(0, 0), Lint.entry(60), at: 9 * day).isEmpty)
  }

  @Test("L A timeline without the entry that would have cleared the score in force is reported")
  func clearanceDropped() throws {
    let lint = Lint(Lint.entry(0), Lint.entry(60))
    let endless = RelevanceInForce(score: 5, start: Lint.time(-60), end: nil)
    #expect(lint.with { $0.inForce = endless }.codes == [.scoreNeverCleared])
    #expect(lint.with { $0.inForce = endless }.warning(.scoreNeverCleared)?.index == nil)
    let ending = RelevanceInForce(score: 5, start: Lint.time(-60), end: Lint.time(60))
    #expect(lint.with { $0.inForce = ending }.codes.isEmpty)
    let zero = RelevanceInForce(score: 0, start: Lint.time(-60), end: nil)
    #expect(lint.with { $0.inForce = zero }.codes.isEmpty)
    #expect(Lint(try Lint.entry(60, 0)).with { $0.inForce = endless }.codes.isEmpty)
    let past = Lint(try Lint.entry(-30, expires: -20), Lint.entry(0)).with { $0.inForce = endless }
    #expect(past.codes == [.scoreNeverCleared])
    #expect(Lint(try Lint.entry(-30, expires: -20)).with { $0.inForce = endless }.codes.isEmpty)
  }

  @Test("L W4 An expiry that the next entry precedes has no effect; one before it ends a score like a window")
  func expiries() throws {
    let late = Lint(
      try Lint.entry(0, 5, expires: 60), try Lint.entry(60, expires: 90), try Lint.entry(80, 0), Lint.entry(120))
    #expect(late.codes == [.expiryWithoutEffect])
    let warning = try #require(late.warning(.expiryWithoutEffect))
    #expect(warning.index == 0)
    #expect(warning.message == "entry 0 never expires, because entry 1 is current by then, and likewise for 1 more")
    #expect(try Lint(Lint.entry(0, 5, expires: 59), Lint.entry(60)).codes.isEmpty)
    #expect(try Lint(Lint.entry(0, 5), Lint.entry(60, expires: 90)).codes.isEmpty)
    #expect(try Lint(Lint.entry(0, 5), Lint.entry(60, expires: 90), Lint.entry(90)).codes.contains(.scoreNeverCleared))
    let gaps = try [0, 60, 120].map { try Lint.entry($0, 5, expires: $0 + 30) }
    #expect(Lint(gaps).codes.isEmpty)
    let endless = RelevanceInForce(score: 5, start: Lint.time(-60), end: nil)
    #expect(Lint(try Lint.entry(0, expires: 30)).with { $0.inForce = endless }.codes.isEmpty)
  }

  @Test("L A window shorter than two minutes is reported; two minutes, and scores of 0 or less, are not")
  func shortWindow() throws {
    #expect(try Lint(Lint.entry(0, 5, 119)).codes == [.windowTooShort])
    #expect(try Lint(Lint.entry(0, 5, 120)).codes.isEmpty)
    #expect(try Lint(Lint.entry(0, 0, 30), Lint.entry(60, -1, 30)).codes.isEmpty)
  }

  @Test("L A window beyond the next entry that provides relevance is reported; one that ends there is not")
  func cutOff() throws {
    let year: Int64 = 31_536_000
    let lint = Lint(
      try Lint.entry(0, 1, year), Lint.entry(30), try Lint.entry(60, 0, year), try Lint.entry(120, 2, year),
      try Lint.entry(180, 3, year))
    #expect(lint.codes == [.windowCutOff])
    let warning = try #require(lint.warning(.windowCutOff))
    #expect(warning.index == 0)
    #expect(warning.message.contains("lasts 365 d, but entry 2 replaces it after 1 h, and likewise for 1 more"))
    #expect(try Lint(Lint.entry(0, 1, 3_600), Lint.entry(60, 0)).codes.isEmpty)
    #expect(try Lint(Lint.entry(0, 1, 3_601), Lint.entry(60, 0)).codes == [.windowCutOff])
    #expect(try Lint(Lint.entry(0, 1, 3_600), Lint.entry(15), Lint.entry(30)).codes.isEmpty)
    #expect(try Lint(Lint.entry(0, 1, year)).codes.isEmpty)
  }

  @Test("L A highest score more than ten times the kind's so far, or less than a tenth of it, is reported")
  func scale() throws {
    let lint = Lint(try Lint.entry(0, 2), try Lint.entry(60, 50), try Lint.entry(120, 0))
    for (reference, isFound) in [(0, false), (5, false), (4.9, true), (500, false), (501, true)] {
      let codes = lint.with { $0.reference = reference }.codes
      #expect(codes == (isFound ? [.scaleChanged] : []), "against \(reference)")
    }
    #expect(lint.with { $0.reference = 1 }.warning(.scaleChanged)?.index == 1)
    let quiet = Lint(try Lint.entry(0, 0), Lint.entry(60), try Lint.entry(120, -900))
    #expect(quiet.with { $0.reference = 1 }.codes.isEmpty)
  }

  @Test("L A policy that exceeds the reload budget is reported")
  func reloads() throws {
    let entries = [Lint.entry(0), Lint.entry(60)]
    let minutes: [(Double, Bool)] = [(-60, true), (0, true), (4, true), (20, true), (21, false), (600, false)]
    for (minute, isFound) in minutes {
      let codes = Lint(entries, policy: .after(Lint.time(minute))).codes
      #expect(codes == (isFound ? [.reloadOverBudget] : []), "after \(minute) minutes")
    }
    #expect(Lint(entries, policy: .atEnd).codes.isEmpty)
    #expect(Lint(entries, policy: .atEnd).with { $0.reloadBudget = 23 }.codes == [.reloadOverBudget])
    #expect(Lint(entries, policy: .atEnd).with { $0.reloadBudget = 24 }.codes.isEmpty)
    #expect(Lint(entries, policy: .atEnd).with { $0.reloadSpacing = .minutes(61) }.codes == [.reloadOverBudget])
    #expect(Lint(Lint.entry(0), policy: .atEnd).codes == [.reloadOverBudget])
    #expect(Lint(policy: .atEnd).codes == [.reloadOverBudget])
    #expect(Lint(Lint.entry(0), policy: .never).with { $0.reloadBudget = 0 }.codes.isEmpty)
    #expect(Lint(entries, policy: .after(.max)).with { $0.reloadBudget = 1_000 }.codes.isEmpty)
  }

  @Test("L An empty timeline is reported while a positive score is in force")
  func empty() throws {
    #expect(Lint().codes.isEmpty)
    for (score, end, isFound) in [(5.0, nil, true), (5, 60.0, true), (5, 0, false), (0, nil, false), (-1, 60, false)] {
      let inForce = RelevanceInForce(score: score, start: Lint.time(-60), end: end.map(Lint.time))
      let codes = Lint().with { $0.inForce = inForce }.codes
      #expect(codes == (isFound ? [.emptyWhileInForce] : []), "\(score) until \(String(describing: end))")
    }
  }

  @Test("L The largest and smallest values lead to findings, not to a crash")
  func extremes() throws {
    let long = TimeSpan.days(3_000_000)
    let scores = [Double.greatestFiniteMagnitude, .leastNonzeroMagnitude, -.greatestFiniteMagnitude]
    let dates = [Instant.min, .max]
    for score in scores {
      for date in dates {
        let relevance = try TimelineEntryRelevance(score: score, duration: long)
        let entries = [TimelineEntry(date: .min), TimelineEntry(date: date, relevance: relevance)]
        for (now, budget) in zip(dates, [Int.max, 0]) {
          let context = LintContext(now: now, reference: .greatestFiniteMagnitude, reloadBudget: budget)
          for policy in [TimelineReloadPolicy.after(.min), .after(.max), .atEnd] {
            let submitted = SubmittedTimeline(entries, policy: policy)
            _ = TimelineLint.warnings(submitted: submitted, context: context)
            var rehearsal = TimelineRehearsal()
            for _ in 0..<3 { _ = rehearsal.publish(submitted, at: now) }
          }
        }
      }
    }
  }
}
