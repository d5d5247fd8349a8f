import CFaultyVFS
import Foundation
import MarqueeJournal
import MarqueeTestSupport

@testable import MarqueeStore

/// One run of ``FaultScript`` with a fault injected into one file operation.
struct FaultRun {
  /// Low enough that the WAL is checkpointed during the script.
  private static let walFrameCountMax = 24

  let kind: faulty_kind
  /// The number of the operation that fails, among those that the kind affects.
  let number: Int
  let persists: Bool
  let script: FaultScript
  private var hasHappened = false
  private let directory = StoreDirectory()

  init(kind: faulty_kind, number: Int, persists: Bool, script: FaultScript) {
    self.kind = kind
    self.number = number
    self.persists = persists
    self.script = script
  }

  /// Runs the script.
  ///
  /// - Returns: Whether the fault was injected.
  /// - Throws: A ``RequirementFailure``.
  mutating func run() async throws -> Bool {
    guard faulty_plan(directory.path, kind, number, persists ? 1 : 0) == 0 else {
      throw RequirementFailure("too many faults")
    }
    defer { faulty_reset(directory.path) }
    var writtenCount = 0
    while writtenCount < script.steps.count {
      guard let store = try open() else { continue }
      guard try await FaultScript.Contents(of: store) == contents(writtenCount) else {
        throw RequirementFailure("before step \(writtenCount), the contents differ from the acknowledged ones")
      }
      let (count, isComplete) = try await write(store, from: writtenCount)
      close(store)
      writtenCount = isComplete ? count : try await countAfterRestart(count)
    }
    try await check()
    return hasHappened
  }

  /// The expected contents after `count` steps.
  private func contents(_ count: Int) -> FaultScript.Contents {
    count == 0 ? FaultScript.Contents() : script.steps[count - 1].outcome
  }

  /// Returns the number of durable steps after the step after `count` failed. That step may be durable completely.
  private mutating func countAfterRestart(_ count: Int) async throws -> Int {
    end()
    let store = try Store(directory: directory.path, walFrameCountMax: Self.walFrameCountMax)
    let found = try await FaultScript.Contents(of: store)
    try store.close()
    if found == contents(count) { return count }
    guard found == contents(count + 1) else {
      throw RequirementFailure("after step \(count) failed, it is partly durable")
    }
    return count + 1
  }

  /// Opens the store. `nil` if the fault prevented that, which ends the fault.
  private mutating func open() throws -> Store? {
    do {
      return try Store(directory: directory.path, walFrameCountMax: Self.walFrameCountMax)
    } catch {
      guard faulty_happened(directory.path) != 0 else { throw error }
      guard [.diskFull, .ioFailed, .commitFailed].contains(error.code) else {
        throw RequirementFailure("opening: \(error)")
      }
      end()
      return nil
    }
  }

  /// Writes steps until all are written or the store accepts no more, and returns which.
  private mutating func write(_ store: Store, from first: Int) async throws -> (count: Int, isComplete: Bool) {
    var count = first
    while count < script.steps.count {
      guard let error = await failure(of: script.steps[count], store) else {
        count += 1
        continue
      }
      guard faulty_happened(directory.path) != 0 else { throw RequirementFailure("step \(count): \(error)") }
      if kind == FAULTY_POWER_CUT { return (count, false) }
      if error.outcome == .written, script.steps[count].removed != nil {
        // The device is removed, and its erasure is completed later.
        end()
        count += 1
        continue
      }
      guard error.isRecoverable else {
        try await expectEnd(store, before: count, after: error)
        return (count, false)
      }
      guard kind != FAULTY_SYNC_ERROR else {
        throw RequirementFailure("step \(count) is retriable after a failed fsync")
      }
      guard kind != FAULTY_DISK_FULL || error.code == .diskFull else {
        throw RequirementFailure("step \(count): \(error)")
      }
      guard try await FaultScript.Contents(of: store) == contents(count) else {
        throw RequirementFailure("after step \(count) failed, the contents differ from the acknowledged ones")
      }
      if persists, !hasHappened {
        // While the disk is full, a batch that needs no new space may succeed.
        if let again = await failure(of: script.steps[count], store) {
          guard again.isRecoverable else {
            try await expectEnd(store, before: count, after: again)
            return (count, false)
          }
          guard again.code == .diskFull else { throw RequirementFailure("step \(count): \(again)") }
        } else {
          count += 1
        }
      }
      end()
    }
    return (count, true)
  }

  /// Checks that a store that accepts no more writes had a reason and reports it.
  private func expectEnd(_ store: Store, before count: Int, after error: JournalError) async throws {
    // If the WAL cannot be truncated after a deletion, the store must end: the files may contain the deleted content.
    let step = script.steps[count]
    guard kind != FAULTY_DISK_FULL || !step.snapshots.isEmpty || step.removed != nil else {
      throw RequirementFailure("a full disk ended the store at step \(count): \(error)")
    }
    let again = await failure(of: script.steps[count], store)
    guard error.code == .commitFailed, again?.code == .commitFailed else {
      throw RequirementFailure("step \(count): \(error), and then \(again.map { "\($0)" } ?? "nothing")")
    }
  }

  private func failure(of step: FaultScript.Step, _ store: Store) async -> JournalError? {
    do throws(JournalError) {
      if let beginning = step.beginning {
        _ = try await store.compact(keeping: .zero, now: beginning)
        return nil
      }
      if let removed = step.removed {
        _ = try await store.remove(removed)
        return nil
      }
      try await store.append(
        created: step.created, events: step.events, decisions: step.decisions, snapshots: step.snapshots)
      return nil
    } catch {
      return error
    }
  }

  private func close(_ store: Store) {
    do {
      try store.close()
    } catch {
      // The fault may occur here, too. The next store shows the contents.
    }
  }

  /// Ends the fault; after a power failure, determines the contents of the disk.
  private mutating func end() {
    guard faulty_happened(directory.path) != 0 else { return }
    hasHappened = true
    if kind == FAULTY_POWER_CUT {
      precondition(faulty_restart(directory.path, UInt(number)) == 0, "the files cannot be modified")
    }
    faulty_reset(directory.path)
  }

  /// Checks that in the end everything is stored, and no file contains deleted content.
  private mutating func check() async throws {
    guard let store = try open() else { return try await check() }
    let found = try await FaultScript.Contents(of: store)
    close(store)
    guard found == contents(script.steps.count) else {
      throw RequirementFailure("in the end, the contents are incomplete")
    }
    // The next store recovers from any fault during opening and closing.
    while true {
      guard let store = try open() else { continue }
      close(store)
      if faulty_happened(directory.path) == 0 { break }
      end()
    }
    for file in try FileManager.default.contentsOfDirectory(atPath: directory.path) {
      let content = FileManager.default.contents(atPath: "\(directory.path)/\(file)") ?? Data()
      guard content.range(of: Data(FaultScript.deletedWord.utf8)) == nil else {
        throw RequirementFailure("deleted content is in \(file)")
      }
    }
  }
}
