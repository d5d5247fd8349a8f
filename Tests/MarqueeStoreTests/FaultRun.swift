import CFaultyVFS
import Foundation
import MarqueeSamples

@testable import MarqueeStore

/// One run of ``FaultScript`` in which one change of a file goes wrong.
struct FaultRun {
  /// What a run found wrong.
  struct Finding: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
      self.description = description
    }
  }

  /// So few that the log is moved into the file in the middle of the script.
  private static let logPageCountMax = 24

  let kind: faulty_kind
  /// The number of the change that goes wrong, of those that the kind concerns.
  let number: Int
  let lasts: Bool
  let script: FaultScript
  private var hasHappened = false
  private let directory = StoreDirectory()

  init(kind: faulty_kind, number: Int, lasts: Bool, script: FaultScript) {
    self.kind = kind
    self.number = number
    self.lasts = lasts
    self.script = script
  }

  /// Returns whether there was such a change; throws a ``Finding``.
  mutating func run() async throws -> Bool {
    guard faulty_plan(directory.path, kind, number, lasts ? 1 : 0) == 0 else { throw Finding("too many plans") }
    defer { faulty_forget(directory.path) }
    var writtenCount = 0
    while writtenCount < script.steps.count {
      guard let store = try open() else { continue }
      guard try await FaultScript.Contents(of: store) == contents(writtenCount) else {
        throw Finding("before step \(writtenCount), something else than was acknowledged")
      }
      let (count, isComplete) = try await write(store, from: writtenCount)
      close(store)
      writtenCount = isComplete ? count : try await countAfterRestart(count)
    }
    try await check()
    return hasHappened
  }

  /// What the store is to hold after so many steps.
  private func contents(_ count: Int) -> FaultScript.Contents {
    count == 0 ? FaultScript.Contents() : script.steps[count - 1].outcome
  }

  /// How many steps there are when the one after `count` failed, which may be durable all the same, but wholly.
  private mutating func countAfterRestart(_ count: Int) async throws -> Int {
    end()
    let store = try Store(directory: directory.path, logPageCountMax: Self.logPageCountMax)
    let found = try await FaultScript.Contents(of: store)
    try store.close()
    if found == contents(count) { return count }
    guard found == contents(count + 1) else { throw Finding("after step \(count) failed, neither with nor without it") }
    return count + 1
  }

  /// The store; `nil` when it could not be opened because of what went wrong, which it then does not any more.
  private mutating func open() throws -> Store? {
    do {
      return try Store(directory: directory.path, logPageCountMax: Self.logPageCountMax)
    } catch {
      guard faulty_happened(directory.path) != 0 else { throw error }
      guard [.diskFull, .ioFailed, .commitFailed].contains(error.code) else { throw Finding("opening: \(error)") }
      end()
      return nil
    }
  }

  /// Writes steps until all are written or the store takes no more, and says which.
  private mutating func write(_ store: Store, from first: Int) async throws -> (count: Int, isComplete: Bool) {
    var count = first
    while count < script.steps.count {
      guard let error = await failure(of: script.steps[count], store) else {
        count += 1
        continue
      }
      guard faulty_happened(directory.path) != 0 else { throw Finding("step \(count): \(error)") }
      if kind == FAULTY_POWER_CUT { return (count, false) }
      guard store.isTransient(error) else {
        try await expectEnd(store, before: count, after: error)
        return (count, false)
      }
      guard kind != FAULTY_SYNC_ERROR else { throw Finding("step \(count) may be tried again after a failed fsync") }
      guard kind != FAULTY_DISK_FULL || error.code == .diskFull else { throw Finding("step \(count): \(error)") }
      guard try await FaultScript.Contents(of: store) == contents(count) else {
        throw Finding("after the refusal of step \(count), something else than was acknowledged")
      }
      if lasts, !hasHappened {
        // While a disk stays full, a batch that finds room in what the files have may succeed.
        if let again = await failure(of: script.steps[count], store) {
          guard store.isTransient(again) else {
            try await expectEnd(store, before: count, after: again)
            return (count, false)
          }
          guard again.code == .diskFull else { throw Finding("refused with \(again)") }
        } else {
          count += 1
        }
      }
      end()
    }
    return (count, true)
  }

  /// A store that takes no more says so, and had a reason.
  private func expectEnd(_ store: Store, before count: Int, after error: StoreError) async throws {
    // When the log cannot be emptied after a deletion, it is not known to be gone from the files.
    guard kind != FAULTY_DISK_FULL || !script.steps[count].snapshots.isEmpty else {
      throw Finding("a full disk ends the store at step \(count): \(error)")
    }
    let again = await failure(of: script.steps[count], store)
    guard error.code == .commitFailed, again?.code == .commitFailed else {
      throw Finding("step \(count): \(error), and then \(again.map { "\($0)" } ?? "nothing")")
    }
  }

  private func failure(of step: FaultScript.Step, _ store: Store) async -> StoreError? {
    do throws(StoreError) {
      if let beginning = step.beginning {
        _ = try await store.compact(keeping: .zero, now: beginning)
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
      // What goes wrong may go wrong here, too. The next store tells what there is.
    }
  }

  /// Nothing goes wrong from now on; after a power cut, the disk has what it has.
  private mutating func end() {
    guard faulty_happened(directory.path) != 0 else { return }
    hasHappened = true
    if kind == FAULTY_POWER_CUT {
      precondition(faulty_restart(directory.path, UInt(number)) == 0, "the files cannot be changed")
    }
    faulty_forget(directory.path)
  }

  /// In the end everything is there, and no file has what was deleted.
  private mutating func check() async throws {
    guard let store = try open() else { return try await check() }
    let found = try await FaultScript.Contents(of: store)
    close(store)
    guard found == contents(script.steps.count) else { throw Finding("in the end, not everything is there") }
    // Whatever goes wrong while stores are opened and closed, the next one puts right.
    while true {
      guard let store = try open() else { continue }
      close(store)
      if faulty_happened(directory.path) == 0 { break }
      end()
    }
    for file in try FileManager.default.contentsOfDirectory(atPath: directory.path) {
      let content = FileManager.default.contents(atPath: "\(directory.path)/\(file)") ?? Data()
      guard content.range(of: Data(FaultScript.deletedWord.utf8)) == nil else {
        throw Finding("what was deleted is in \(file)")
      }
    }
  }
}
