import MarqueeModel
import MarqueeScheduler
import MarqueeSimulator
import MarqueeTimeZones
import Testing

/// Goal: a recorded day can be replayed. Method: random days are recorded as scenarios, encoded, decoded and simulated;
/// the actions must equal those of the device that learns the UTC offsets of its zone.
@Suite struct ScenarioTests {
  @Test("R8 Replaying a recorded day, or its text, yields the same actions", arguments: Seeds.all(6))
  func recordings(seed: UInt64) throws {
    let day = RandomDay(seed: seed, seconds: 20_000, gap: 60)
    var device = day.device
    var actions: [Action] = []
    var events: [(at: Instant, event: Event)] = []
    for occurrence in day.occurrences {
      let instant = RandomDay.instant(occurrence.second)
      actions += device.advance(to: instant)
      // With the offsets of its zone, the device can reject an event that the device of the random day accepted.
      do { try device.check(occurrence.event) } catch { continue }
      actions += device.handleLearningOffsets(occurrence.event, at: instant)
      events.append((instant, occurrence.event))
    }
    let end = RandomDay.instant(day.seconds)
    actions += device.advance(to: end)
    let recording = try Scenario(
      recordingOf: device.id, timeZone: day.device.timeZone, createdAt: RandomDay.start, policy: day.policy,
      events: events)
    let isSame = try Scenario(yaml: recording.yaml) == recording
    #expect(isSame)
    let simulated = try Simulation.day(of: Scenario(yaml: recording.yaml), until: end)
    #expect(simulated.actions == actions)
    #expect(simulated.device == device)
    #expect(!simulated.decisions.isEmpty)
  }
}
