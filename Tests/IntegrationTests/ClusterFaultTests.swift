import Foundation
import MarqueeTestSupport
import PostgresProcess
import Testing

/// Goal: nothing that a cluster acknowledged is lost, whatever happens to its nodes, its database and its network.
/// Method: rounds of ``ClusterFaultRound``, each derived from a seed, which `Tests/Scripts/cluster-faults.sh` runs.
@Suite(
  "Faults of clusters", .serialized, .enabled(if: PostgresProcess.isExpected, "\(PostgresProcess.missing)"),
  .timeLimit(.minutes(600)))
struct ClusterFaultTests {
  private static func number(_ name: String) -> UInt64? {
    ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
  }

  private static let isRequested = number("MARQUEE_CLUSTER_ROUNDS") != nil

  /// The faults from which rounds choose.
  private static func kinds() throws -> [ClusterFault] {
    let names = ProcessInfo.processInfo.environment["MARQUEE_CLUSTER_FAULTS"]?.split(separator: " ") ?? []
    let chosen = try names.map { name in
      guard let fault = ClusterFault(rawValue: String(name)) else {
        throw RequirementFailure("\(name) is none of \(ClusterFault.allCases)")
      }
      return fault
    }
    guard try SmallDisk.isPossible() else {
      print("fillDisk is skipped: a file system cannot be mounted here")
      return (chosen.isEmpty ? ClusterFault.allCases : chosen).filter { $0 != .fillDisk }
    }
    return chosen.isEmpty ? ClusterFault.allCases : chosen
  }

  @Test(
    "Under faults of nodes, PostgreSQL and networks, nothing acknowledged is lost, and nothing refused is there",
    .enabled(if: isRequested, "Tests/Scripts/cluster-faults.sh runs it"))
  func rounds() async throws {
    let (first, count) = (Self.number("MARQUEE_CLUSTER_SEED") ?? 1, Self.number("MARQUEE_CLUSTER_ROUNDS") ?? 1)
    let kinds = try Self.kinds()
    var failedCount: UInt64 = 0
    for seed in first..<first + count {
      var round: ClusterFaultRound?
      do {
        let created = try ClusterFaultRound(seed: seed, of: kinds)
        round = created
        let counts = try await created.run()
        print("round of seed \(seed): \(created.summary); \(counts)")
      } catch {
        failedCount += 1
        Issue.record("seed \(seed): \(error)")
        print("round of seed \(seed) failed: \(round?.summary ?? ""): \(error)")
      }
    }
    print("\(count - failedCount) passed, \(failedCount) failed")
  }
}
