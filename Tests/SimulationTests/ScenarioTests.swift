import MarqueeModel
import MarqueeScheduler
import MarqueeSimulator
import Testing

/// Goal: what a device took in can be written down and lived through again. Method: random days are recorded as
/// scenarios, written, read back and simulated; the orders must be those that the device gave.
@Suite struct ScenarioTests {
  @Test("R8 A recorded day gives the very orders again, and so does its text", arguments: Seeds.all(6))
  func recordings(seed: UInt64) throws {
    let day = RandomDay(seed: seed, seconds: 20_000, gap: 60)
    var device = day.device
    var actions: [Action] = []
    for occurrence in day.occurrences {
      actions += device.handle(occurrence.event, at: RandomDay.instant(occurrence.second))
    }
    let end = RandomDay.instant(day.seconds)
    actions += device.advance(to: end)
    let recording = try Scenario(
      recordingOf: device.id, timeZone: day.device.timeZone, createdAt: RandomDay.start, policy: day.policy,
      events: day.occurrences.map { (at: RandomDay.instant($0.second), event: $0.event) })
    let isSame = try Scenario(yaml: recording.yaml) == recording
    #expect(isSame)
    let simulated = try Simulation.day(of: Scenario(yaml: recording.yaml), until: end)
    #expect(simulated.actions == actions)
    #expect(simulated.device == device)
    #expect(!simulated.decisions.isEmpty)
  }
}
