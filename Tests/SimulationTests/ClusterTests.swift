import ServerSimulation
import Synchronization
import Testing

/// Simulations of a cluster. `Tests/Scripts/simulation.sh --cluster` runs many more seeds, and all mutations.
@Suite struct ClusterTests {
  /// The mutations that a few seeds detect.
  private static let mutations: [ClusterMutation] = [
    .unknownAsWritten, .unknownAsRefused, .leaseByWallClock, .readBeforeAcquisition, .ignoredDraining,
    .leaseWithoutReply, .rareRenewal, .handOverBeforeEnd, .servedAfterHandOver,
  ]
  /// The number of seeds of which one must detect a mutation.
  private static let seedCountMax: UInt64 = 1_000

  @Test("No fault of nodes, network or database violates an invariant", arguments: 1...5 as ClosedRange<UInt64>)
  func invariants(seed: UInt64) {
    let outcome = SimulatedCluster.run(seed: seed)
    #expect(outcome.findings.isEmpty)
    // The faults have had effects.
    #expect(outcome.acknowledgedCount > 50 && outcome.readCount > 50 && outcome.showCount > 10)
    #expect(outcome.startCount > 3 && outcome.ownerCount > 12 && outcome.refusedCount > 0)
  }

  @Test("A seed detects each mistake in a node or in the database", arguments: mutations)
  func found(mutation: ClusterMutation) {
    #expect((1...Self.seedCountMax).contains { !SimulatedCluster.run(seed: $0, mutation).findings.isEmpty })
  }

  @Test("The same seed yields the same run of a cluster")
  func same() {
    func story(_ seed: UInt64) -> (lines: [String], outcome: SimulatedCluster.Outcome) {
      let lines = Mutex<[String]>([])
      let outcome = SimulatedCluster.run(seed: seed) { line in lines.withLock { $0.append(line) } }
      return (lines.withLock(\.self), outcome)
    }
    let (first, second, other) = (story(1), story(1), story(2))
    #expect(first.lines == second.lines && first.outcome == second.outcome)
    #expect(first.lines != other.lines && first.lines.count > 20)
  }
}
