import MarqueeEvaluation
import Testing

@Suite struct HabitTaskTests {
  @Test("P1 A sharp habit is predicted at every five-minute offset", arguments: [0, 1])
  func sharp(basis: Int) throws {
    let task = SharpHabitTask(basis == 0 ? .everything : .timeAlone)
    #expect(task.rows.count == 36)
    for (occurrences, errorMax) in zip(SharpHabitTask.occurrenceCounts, SharpHabitTask.errorMax) {
      guard let errorMax else { continue }
      let (error, late) = (task.error(occurrences: occurrences), task.lateClaim(occurrences: occurrences))
      #expect(error <= errorMax, "\(occurrences): \(error)")
      #expect(late <= SharpHabitTask.lateClaimMax, "\(occurrences): \(late)")
    }
  }

  @Test("P7 What follows an event at varying hours is predicted at the event, and only there")
  func triggers() {
    for row in TriggerTask().rows {
      #expect(row.with >= TriggerTask.withMin, "\(row)")
      #expect(row.without <= TriggerTask.withoutMax, "\(row)")
    }
  }

  @Test("Synthetic people are the same in every run")
  func repeatable() {
    #expect(TriggerTask() == TriggerTask())
  }

  @Test("The calibration error is the mean difference between claims and outcomes in bins")
  func reliability() throws {
    var reliability = Reliability()
    #expect(reliability.error == nil)
    for index in 0..<10 { reliability.add(0.25, isTrue: index < 5) }
    reliability.add(1, isTrue: true)
    let error = try #require(reliability.error)
    #expect(abs(error - 2.5 / 11) < 1e-12)
    #expect(reliability.bins[9].count == 1)
  }
}
