import MarqueePredictor
import Testing

@testable import MarqueeEvaluation

@Suite struct ReportTests {
  private static let log = HabitLog(syntheticSeed: 3, personCount: 3, dayCount: 14)

  @Test("Synthetic people are determined by the seed, and their uses are in order")
  func people() {
    #expect(Self.log == HabitLog(syntheticSeed: 3, personCount: 3, dayCount: 14))
    #expect(Self.log != HabitLog(syntheticSeed: 4, personCount: 3, dayCount: 14))
    #expect(Self.log.people.map(\.name) == ["synthetic-1", "synthetic-2", "synthetic-3"])
    for person in Self.log.people {
      #expect(zip(person.uses, person.uses.dropFirst()).allSatisfy { $0.time <= $1.time })
      #expect(person.uses.allSatisfy { (0..<person.itemCount).contains($0.item) && $0.second < 86_400 })
      #expect(Set(person.uses.map(\.day)).count == 14)
    }
  }

  @Test("An interval contains the figure of similar people and is wider for fewer")
  func intervals() throws {
    func sums(_ count: Int) -> ResampledSums<MeanSums> {
      var sums = ResampledSums<MeanSums>()
      for person in 0..<count {
        sums.beginPerson()
        sums.update(day: 0) { $0.add(Double(person % 4)) }
      }
      return sums
    }
    let (few, many) = (sums(8), sums(200))
    let (wide, narrow) = (try #require(few.interval(\.mean)), try #require(many.interval(\.mean)))
    #expect(wide.contains(1.5) && narrow.contains(1.5))
    #expect(wide.upperBound - wide.lowerBound > 3 * (narrow.upperBound - narrow.lowerBound))
    #expect(few.interval(\.mean) == wide)
    #expect(sums(0).interval(\.mean) == nil && sums(0).total.mean == nil)
  }

  @Test("The days of a single person are resampled, and a single day has no interval")
  func singlePerson() throws {
    var sums = ResampledSums<MeanSums>()
    sums.beginPerson()
    sums.update(day: 1) { $0.add(0) }
    #expect(sums.interval(\.mean) == nil)
    for day in 2...20 { sums.update(day: day) { $0.add(Double(day % 2)) } }
    let interval = try #require(sums.interval(\.mean))
    #expect(interval.contains(0.5) && interval.lowerBound < interval.upperBound)
    #expect(sums.total.count == 20)
  }

  @Test("The figures of the report are those of the tasks")
  func report() throws {
    let next = NextActionTask(Self.log, methods: [.marquee])
    let clock = HalfHourTask(Self.log, basis: .timeAlone, methods: [.marquee])
    let recent = HalfHourTask(Self.log, basis: .everything, methods: [.marquee])
    let early = EarlyTask(Self.log, basis: .everything)
    let (sharp, triggers) = (SharpHabitTask(personCount: 2), TriggerTask(personCount: 2))
    let report = EvaluationReport(
      next: next, clock: clock, recent: recent, sharp: sharp, early: early, triggers: triggers,
      replay: ReplayTask(Self.log))
    func value(_ task: String, _ figure: String) -> Double? {
      report.rows.first { $0.task == task && $0.figure == figure }?.value
    }
    #expect(value("next action", "HR@1") == next.scores[.marquee]?.hitRate1)
    #expect(value("half hour, time alone", "P@1") == clock.scores[.marquee]?.precision1)
    #expect(value("half hour, preceding actions", "P@3") == recent.scores[.marquee]?.precision3)
    #expect(value("early calibration", "ECE, first 50 actions") == early.early[0].error)
    let error = try #require(value("sharp habit, 9 times", "mean error, all offsets"))
    #expect(abs(error - sharp.error(occurrences: 9)) < 1e-9)
    let claim = try #require(value("trigger: arrival", "mean claim at the event"))
    #expect(abs(claim - triggers.rows[1].with) < 1e-9)
    #expect(report.rows.contains { $0.task == "replay, rotating freely" && $0.value != nil })
    for row in report.rows {
      guard let value = row.value, let interval = row.interval else { continue }
      // Calibration errors of samples are biased upwards.
      #expect(row.figure.hasPrefix("ECE") || interval.contains(value), "\(row)")
    }
  }
}
