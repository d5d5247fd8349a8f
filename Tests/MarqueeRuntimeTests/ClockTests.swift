import MarqueeModel
import MarqueeTestSupport
import Testing

@testable import MarqueeRuntime

@Suite(.timeLimit(.minutes(1))) struct ClockTests {
  private let clock = ManualClock(at: SampleDevice.midnight)

  @Test("A sleeping task wakes at its instant, not before")
  func sleep() async throws {
    let clock = clock
    async let woken: Instant = {
      try await clock.sleep(until: SampleDevice.time(2))
      return clock.now
    }()
    try await clock.sleeper(until: SampleDevice.time(2))
    clock.advance(to: SampleDevice.time(1))
    clock.advance(to: SampleDevice.time(3))
    #expect(try await woken == SampleDevice.time(3))
    try await clock.sleep(until: SampleDevice.time(3))
  }

  @Test("Waiting for a sleeper ends with a task that sleeps until then or earlier, in either order")
  func sleeper() async throws {
    let clock = clock
    try await withThrowingTaskGroup { group in
      group.addTask { try await clock.sleep(until: SampleDevice.time(2)) }
      group.addTask { try await clock.sleeper(until: SampleDevice.time(2)) }
      group.addTask { try await clock.sleeper(until: SampleDevice.time(3)) }
      try await group.next()
      try await group.next()
      clock.advance(to: SampleDevice.time(2))
      try await group.waitForAll()
    }
  }

  @Test("Every wait ends when its task is cancelled")
  func cancellation() async throws {
    let clock = clock
    let waits: [@Sendable () async throws -> Void] = [
      { try await clock.sleep(until: SampleDevice.time(2)) }, { try await clock.sleeper(until: SampleDevice.time(1)) },
      { try await SystemWallClock().sleep(until: .max) },
    ]
    for wait in waits {
      let task = Task { try await wait() }
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
    }
    let sleeping = Task { try await clock.sleep(until: SampleDevice.time(2)) }
    try await clock.sleeper(until: SampleDevice.time(2))
    sleeping.cancel()
    await #expect(throws: CancellationError.self) { try await sleeping.value }
  }

  @Test("The system clock wakes a task at its instant, not before")
  func systemClock() async throws {
    let clock = SystemWallClock()
    let start = clock.now
    try await clock.sleep(until: start)
    try await clock.sleep(until: start.advanced(by: TimeSpan(milliseconds: 2)))
    #expect(clock.now >= start.advanced(by: TimeSpan(milliseconds: 2)))
  }

  @Test("Wakes are dequeued by instant, simultaneous ones in the order in which they were set")
  func wakes() throws {
    let devices = try ["a", "b", "c", "d"].map { try DeviceID($0) }
    var wakes = WakeQueue<DeviceID>()
    for device in devices.reversed() { wakes.set(device, to: SampleDevice.time(2)) }
    wakes.set(devices[1], to: SampleDevice.time(1))
    wakes.set(devices[3], to: nil)
    wakes.set(devices[2], to: SampleDevice.time(3))
    wakes.set(devices[2], to: SampleDevice.time(2))
    #expect(wakes.first() == SampleDevice.time(1))
    #expect(wakes.dequeueDue(at: SampleDevice.time(2), atMost: 2).map(\.item) == [devices[1], devices[0]])
    #expect(wakes.dequeueDue(at: SampleDevice.time(1), atMost: 9).isEmpty)
    #expect(wakes.dequeueDue(at: SampleDevice.time(2), atMost: 9).map(\.item) == [devices[2]])
    #expect(wakes.first() == nil)
  }
}
