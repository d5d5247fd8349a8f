import MarqueeModel
import Synchronization
import Testing

@testable import MarqueeRuntime

@Suite(.timeLimit(.minutes(1))) struct AlarmTests {
  /// A clock that counts its sleeps.
  private final class CountingClock: WallClock {
    let clock = ManualClock(at: .min)
    let count = Atomic<Int>(0)

    var now: Instant { clock.now }

    func sleep(until instant: Instant) async throws {
      count.add(1, ordering: .relaxed)
      try await clock.sleep(until: instant)
    }
  }

  private let clock = CountingClock()
  private let queue = RequestQueue(countMax: 1, sizeMax: 1)

  private var alarm: Alarm { Alarm(clock) { [queue] in queue.signal() } }

  private func minute(_ minute: Int64) -> Instant { Instant.min.advanced(by: .minutes(minute)) }

  @Test("An alarm goes off at the earliest instant that it was set to, and can be set again")
  func goesOff() async throws {
    var alarm = alarm
    alarm.set(to: minute(2))
    try await clock.clock.sleeper(until: minute(2))
    alarm.set(to: minute(1))
    try await clock.clock.sleeper(until: minute(1))
    for wake in [minute(3), nil, minute(1)] { alarm.set(to: wake) }
    clock.clock.advance(to: minute(1))
    await queue.waitForWork()
    #expect(clock.count.load(ordering: .relaxed) == 2)
    if queue.consumeSignal() { alarm.clear() }
    alarm.set(to: minute(3))
    try await clock.clock.sleeper(until: minute(3))
    clock.clock.advance(to: minute(3))
    await queue.waitForWork()
    #expect(queue.consumeSignal() && !queue.consumeSignal())
    #expect(clock.count.load(ordering: .relaxed) == 3)
  }

  @Test("After the clock is set back, an alarm goes off again")
  func turnedBack() async throws {
    var alarm = alarm
    alarm.set(to: minute(5))
    try await clock.clock.sleeper(until: minute(5))
    clock.clock.advance(to: minute(5))
    await queue.waitForWork()
    clock.clock.setBack(to: minute(4))
    if queue.consumeSignal() { alarm.clear() }
    alarm.set(to: minute(5))
    try await clock.clock.sleeper(until: minute(5))
    alarm.clear()
  }

  @Test("A signal that arrives after the clock was read ends the next wait")
  func lateSignal() async throws {
    var alarm = alarm
    if queue.consumeSignal() { alarm.clear() }
    queue.signal()
    alarm.set(to: minute(5))
    await queue.waitForWork()
    if queue.consumeSignal() { alarm.clear() }
    #expect(!queue.consumeSignal())
    alarm.clear()
  }
}
