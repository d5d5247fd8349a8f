import ServerSimulation
import Synchronization
import Testing

/// Simulations of a complete server. `Tests/Scripts/simulation.sh` runs many more seeds.
@Suite struct ServerTests {
  @Test("No fault violates an invariant", arguments: 1...6 as ClosedRange<UInt64>)
  func lives(seed: UInt64) throws {
    let outcome = try Simulation.run(seed: seed, in: "/dev/shm")
    #expect(outcome.findings.isEmpty)
    #expect(outcome.acknowledgedCount > 20 && outcome.callCount > 20 && outcome.startCount > 3)
    #expect(outcome.intentCount > 3)
  }

  @Test("The same seed yields the same run")
  func same() throws {
    func story(_ seed: UInt64) throws -> (lines: [String], outcome: Simulation.Outcome) {
      let lines = Mutex<[String]>([])
      let outcome = try Simulation.run(seed: seed, in: "/dev/shm") { line in lines.withLock { $0.append(line) } }
      return (lines.withLock(\.self), outcome)
    }
    // Two of the shortest runs.
    let (first, second, other) = (try story(6), try story(6), try story(5))
    #expect(first.lines == second.lines && first.outcome == second.outcome)
    #expect(first.lines != other.lines && first.lines.count > 20)
  }
}
