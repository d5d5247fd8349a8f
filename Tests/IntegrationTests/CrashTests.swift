import Foundation
import PostgresProcess
import Testing

/// Goal: acknowledged operations survive `kill -9`. Method: rounds of ``CrashRound``, each derived from a seed;
/// `Tests/Scripts/crash-recovery.sh` runs a configurable number of rounds.
@Suite("Crashes", .serialized, .timeLimit(.minutes(60)))
struct CrashTests {
  private static func number(_ name: String) -> UInt64? {
    ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
  }

  /// The engines of the rounds: SQLite, unless the script names PostgreSQL.
  private static let isOnPostgres = ProcessInfo.processInfo.environment["MARQUEE_CRASH_STORE"] == "postgres"

  @Test("D6 R8 After kill -9 under load, no acknowledged operation is lost or duplicated; the journal is consistent")
  func rounds() async throws { try await run(isOnPostgres: Self.isOnPostgres) }

  @Test(
    "D6 R8 After kill -9 under load, nothing acknowledged is lost in PostgreSQL",
    .enabled(if: PostgresProcess.isExpected && !isOnPostgres, "\(PostgresProcess.missing)"))
  func postgresRound() async throws { try await CrashRound(seed: 1).run(isOnPostgres: true) }

  private func run(isOnPostgres: Bool) async throws {
    let (first, count) = (Self.number("MARQUEE_CRASH_SEED") ?? 1, Self.number("MARQUEE_CRASH_ROUNDS") ?? 2)
    var failedCount: UInt64 = 0
    for seed in first..<first + count {
      do {
        try await CrashRound(seed: seed).run(isOnPostgres: isOnPostgres)
      } catch {
        failedCount += 1
        Issue.record("seed \(seed): \(error)")
        print("seed \(seed) failed: \(error)")
      }
    }
    print("\(count - failedCount) passed, \(failedCount) failed")
  }
}
