import CFaultyVFS
import Foundation
import MarqueeModel
import MarqueeScheduler
import Testing

@testable import MarqueeStore

/// Goal: after any I/O fault, acknowledged writes are durable, other writes are durable completely or not at all, and
/// the store reports the correct error. Method: ``FaultScript`` is run once for each file operation that it causes, and
/// that operation fails. `Tests/Scripts/fault-injection.sh` covers every operation, other runs every ``stride``th.
@Suite("Faults below the store", .serialized, .timeLimit(.minutes(60)))
struct FaultTests {
  private static let stride = ProcessInfo.processInfo.environment["MARQUEE_FAULT_STRIDE"].flatMap { Int($0) } ?? 36
  private static let script = Result { try FaultScript.withRemovals() }

  init() {
    precondition(faulty_install() == 0, "SQLite rejected the VFS")
  }

  @Test("A write error fails the step, and nothing of it is stored")
  func writeErrors() async throws { try await runAll("write errors", FAULTY_WRITE_ERROR) }

  @Test("A short write fails the step, and nothing of it is stored")
  func shortWrites() async throws { try await runAll("short writes", FAULTY_SHORT_WRITE) }

  @Test("A briefly full disk fails the step, and a retry succeeds")
  func fullOnce() async throws { try await runAll("full disk", FAULTY_DISK_FULL) }

  @Test("On a full disk writes fail and reads succeed; writes resume when there is space")
  func fullForLong() async throws { try await runAll("disk full for long", FAULTY_DISK_FULL, persists: true) }

  @Test("After a failed fsync the store accepts no more writes, and acknowledged writes are durable")
  func syncErrors() async throws { try await runAll("failed fsync", FAULTY_SYNC_ERROR) }

  @Test("After a power failure that loses any part of the unsynced writes, acknowledged writes are durable")
  func powerFailures() async throws { try await runAll("power failures", FAULTY_POWER_CUT) }

  /// Runs the script with a fault in each operation until none is left, and prints the number of runs.
  private func runAll(_ name: String, _ kind: faulty_kind, persists: Bool = false) async throws {
    // There are far fewer syncs than writes.
    let stride = kind == FAULTY_SYNC_ERROR ? max(1, Self.stride / 8) : Self.stride
    var (passedCount, failedCount, number) = (0, 0, 0)
    while true {
      do {
        var run = FaultRun(kind: kind, number: number, persists: persists, script: try Self.script.get())
        guard try await run.run() else { break }
        passedCount += 1
      } catch {
        failedCount += 1
        Issue.record("\(name), operation \(number): \(error)")
        print("\(name), operation \(number): \(error)")
        if failedCount > 20 { break }
      }
      number += stride
    }
    print("\(name): \(passedCount) passed, \(failedCount) failed")
    #expect(passedCount + failedCount > 3)
  }
}
