public import MarqueeRPC
import Synchronization

/// A maximum number of bytes shared by several reservations.
public final class ByteBudget: Sendable {
  /// The name of the limit in the settings.
  public let limit: String
  /// The noun for the counted bytes, for error messages.
  public let content: String
  /// The maximum number of bytes.
  public let sizeMax: Int
  private let used = Atomic(0)

  /// Creates an unused budget.
  public init(limit: String, of content: String, sizeMax: Int) {
    self.limit = limit
    self.content = content
    self.sizeMax = sizeMax
  }

  /// The number of reserved bytes.
  public var size: Int { used.load(ordering: .relaxed) }

  fileprivate func reserve(_ size: Int) -> Bool {
    var current = self.size
    while true {
      let (total, overflows) = current.addingReportingOverflow(size)
      guard !overflows, total <= sizeMax else { return false }
      let (exchanged, original) = used.weakCompareExchange(expected: current, desired: total, ordering: .relaxed)
      if exchanged { return true }
      current = original
    }
  }

  fileprivate func release(_ size: Int) { used.subtract(size, ordering: .relaxed) }
}

/// The bytes that one owner has reserved from several budgets at once. They are released at the latest on
/// deinitialization.
public final class ByteReservation: ByteAccount, Sendable {
  private let budgets: [ByteBudget]
  private let reservedSize = Mutex(0)

  /// Creates an empty reservation.
  public init(_ budgets: [ByteBudget]) {
    self.budgets = budgets
  }

  deinit { releaseAll() }

  /// The number of reserved bytes.
  public var size: Int { reservedSize.withLock(\.self) }

  /// Reserves bytes in every budget.
  ///
  /// - Throws: ``RPCStatus`` `RESOURCE_EXHAUSTED` with the name of the first exhausted limit; nothing is reserved then.
  public func reserve(_ size: Int) throws(RPCStatus) {
    for (index, budget) in budgets.enumerated() where !budget.reserve(size) {
      for reserved in budgets[..<index] { reserved.release(size) }
      throw RPCStatus(.resourceExhausted, "too many bytes of \(budget.content) (\(budget.limit): \(budget.sizeMax))")
    }
    reservedSize.withLock { $0 += size }
  }

  /// Releases bytes, at most the number reserved.
  public func release(_ size: Int) {
    let size = reservedSize.withLock { reservedSize in
      let size = min(size, reservedSize)
      reservedSize -= size
      return size
    }
    for budget in budgets { budget.release(size) }
  }

  /// Releases all reserved bytes.
  public func releaseAll() { release(.max) }
}

/// Budgets with the same limit, one per key. A budget exists as long as a reservation uses it.
public final class ByteBudgetTable<Key: Hashable & Sendable>: Sendable {
  private struct Entry {
    weak var budget: ByteBudget?
  }

  private struct State {
    var entries: [Key: Entry] = [:]
    /// The number of entries at which those of deallocated budgets are removed.
    var sweepCount = 64
  }

  private let limit: String
  private let content: String
  private let sizeMax: Int
  private let state = Mutex(State())

  /// Creates an empty table whose budgets will have this limit.
  public init(limit: String, of content: String, sizeMax: Int) {
    self.limit = limit
    self.content = content
    self.sizeMax = sizeMax
  }

  /// Returns the key's budget, creating it if necessary. The table references it weakly.
  public subscript(key: Key) -> ByteBudget {
    state.withLock { state in
      if let budget = state.entries[key]?.budget { return budget }
      if state.entries.count >= state.sweepCount {
        state.entries = state.entries.filter { $0.value.budget != nil }
        state.sweepCount = max(64, state.entries.count * 2)
      }
      let budget = ByteBudget(limit: limit, of: content, sizeMax: sizeMax)
      state.entries[key] = Entry(budget: budget)
      return budget
    }
  }

  /// The maximum number of reserved bytes over all budgets.
  public var fullestSize: Int {
    state.withLock { $0.entries.values.reduce(0) { max($0, $1.budget?.size ?? 0) } }
  }
}
