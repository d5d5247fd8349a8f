import CFaultyVFS
import Foundation
import MarqueeModel
import MarqueeScheduler
import Testing

@testable import MarqueeStore

/// Goal: whatever goes wrong below the store, what was acknowledged stays, what was not is there wholly or not at all,
/// and the store says what it can do. Method: ``FaultScript`` is written once for each change of a file that it leads
/// to, and that change goes wrong. `Deploy/faults.sh` lets every one go wrong, tests else every ``stride``th.
@Suite("Faults below the store", .serialized, .timeLimit(.minutes(60)))
struct FaultTests {
  private static let stride = ProcessInfo.processInfo.environment["MARQUEE_FAULT_STRIDE"].flatMap { Int($0) } ?? 36
  private static let script = Result { try FaultScript() }

  init() {
    precondition(faulty_install() == 0, "SQLite takes no file system")
  }

  @Test("A write that fails is refused, whichever it is, and nothing of it is there")
  func writeErrors() async throws { try await runAll("write errors", FAULTY_WRITE_ERROR) }

  @Test("A write of which half succeeds is refused, whichever it is, and nothing of it is there")
  func shortWrites() async throws { try await runAll("short writes", FAULTY_SHORT_WRITE) }

  @Test("On a disk that is full for a moment, a write is refused, whichever it is, and succeeds then")
  func fullOnce() async throws { try await runAll("full disk", FAULTY_DISK_FULL) }

  @Test("On a disk that stays full, writes are refused and reads go on; writes resume when there is space")
  func fullForLong() async throws { try await runAll("disk full for long", FAULTY_DISK_FULL, lasts: true) }

  @Test("After a failed fsync, whichever it is, the store takes no more, and what was acknowledged is there")
  func syncErrors() async throws { try await runAll("failed fsync", FAULTY_SYNC_ERROR) }

  @Test("After a power cut at any change, with any part of what was not synchronised, what was acknowledged is there")
  func powerCuts() async throws { try await runAll("power cuts", FAULTY_POWER_CUT) }

  /// Runs the script with each change going wrong until none is left, and tells how many runs there were.
  private func runAll(_ name: String, _ kind: faulty_kind, lasts: Bool = false) async throws {
    // There are far fewer flushes than writes.
    let stride = kind == FAULTY_SYNC_ERROR ? max(1, Self.stride / 8) : Self.stride
    var (passedCount, failedCount, number) = (0, 0, 0)
    while true {
      do {
        var run = FaultRun(kind: kind, number: number, lasts: lasts, script: try Self.script.get())
        guard try await run.run() else { break }
        passedCount += 1
      } catch {
        failedCount += 1
        Issue.record("\(name), change \(number): \(error)")
        print("\(name), change \(number): \(error)")
        if failedCount > 20 { break }
      }
      number += stride
    }
    print("\(name): \(passedCount) passed, \(failedCount) failed")
    #expect(passedCount + failedCount > 3)
  }
}
