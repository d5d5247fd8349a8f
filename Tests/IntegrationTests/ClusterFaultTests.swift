import Foundation
import PostgresProcess
import Testing

/// Goal: nothing that a cluster acknowledged is lost, whatever happens to its nodes and its database. Method: rounds of
/// ``ClusterFaultRound``, each derived from a seed, which `Tests/Scripts/cluster-faults.sh` runs.
@Suite(
  "Faults of clusters", .serialized, .enabled(if: PostgresProcess.isExpected, "\(PostgresProcess.missing)"),
  .timeLimit(.minutes(600)))
struct ClusterFaultTests {
  private static func number(_ name: String) -> UInt64? {
    ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
  }

  private static let isRequested = number("MARQUEE_CLUSTER_ROUNDS") != nil

  @Test(
    "Under faults of nodes and of PostgreSQL, nothing acknowledged is lost, and nothing refused is there",
    .enabled(if: isRequested, "Tests/Scripts/cluster-faults.sh runs it"))
  func rounds() async throws {
    let (first, count) = (Self.number("MARQUEE_CLUSTER_SEED") ?? 1, Self.number("MARQUEE_CLUSTER_ROUNDS") ?? 1)
    let database = try PostgresProcess()
    defer { database.remove() }
    var failedCount: UInt64 = 0
    for seed in first..<first + count {
      do {
        print("round of seed \(seed): \(try await ClusterFaultRound(seed: seed, database).run())")
      } catch {
        failedCount += 1
        Issue.record("seed \(seed): \(error)")
        print("round of seed \(seed) failed: \(error)")
      }
    }
    print("\(count - failedCount) passed, \(failedCount) failed")
  }
}
