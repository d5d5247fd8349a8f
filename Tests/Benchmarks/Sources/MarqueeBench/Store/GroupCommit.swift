import Dispatch
import Synchronization

/// A row of a publication, as a baseline stores it.
struct BareRow: Sendable {
  let bytes: [UInt8]
  /// The number of the device, from 1.
  let device: Int
}

/// A table that is a baseline: rows are written without a runtime.
protocol BareWriter: Sendable {
  /// Writes rows in one transaction, which is durable when this returns. The calls come one after the other.
  func write(_ rows: [BareRow]) throws
}

/// The writes to a table. Rows that arrive during a commit share the next transaction and its flush, as in the store.
final class GroupCommit: Sendable {
  private struct Waiting: Sendable {
    let row: BareRow
    let continuation: UnsafeContinuation<Void, any Error>
  }

  private struct State {
    var waiting: [Waiting] = []
    var isDraining = false
  }

  private let table: any BareWriter
  private let queue = DispatchQueue(label: "group commit")
  private let state = Mutex(State())

  init(_ table: any BareWriter) { self.table = table }

  /// Writes a row, which is durable when this returns.
  func add(_ row: BareRow) async throws {
    try await withUnsafeThrowingContinuation { continuation in
      let starts = state.withLock { state in
        state.waiting.append(Waiting(row: row, continuation: continuation))
        defer { state.isDraining = true }
        return !state.isDraining
      }
      if starts { queue.async { self.drain() } }
    }
  }

  private func drain() {
    while let group = nextGroup() {
      let outcome = Result { try table.write(group.map(\.row)) }
      for waiting in group { waiting.continuation.resume(with: outcome) }
    }
  }

  private func nextGroup() -> [Waiting]? {
    state.withLock { state in
      state.isDraining = !state.waiting.isEmpty
      guard state.isDraining else { return nil }
      defer { state.waiting = [] }
      return state.waiting
    }
  }
}
