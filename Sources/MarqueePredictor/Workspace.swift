/// The memory for the vectors of one computation, allocated at once.
///
/// Allocating each vector as an array would cost more than most computations with it.
struct Workspace {
  /// The number of chunks of eight actions in each row.
  let chunkCount: Int
  private var free: UnsafeMutableBufferPointer<Lanes>.SubSequence

  /// Calls `body` with a workspace whose memory is valid during the call.
  static func with<Result>(
    rowCount: Int, chunkCount: Int, laneCount: Int = 0, _ body: (inout Workspace) -> Result
  ) -> Result {
    withUnsafeTemporaryAllocation(of: Lanes.self, capacity: rowCount * chunkCount + laneCount) { memory in
      var workspace = Workspace(chunkCount: chunkCount, free: memory[...])
      return body(&workspace)
    }
  }

  /// Returns the next row, with unspecified contents.
  mutating func row() -> ActionRow { rows(1)[0] }

  /// Returns consecutive rows, with unspecified contents.
  mutating func rows(_ count: Int) -> ActionRows {
    ActionRows(reserve(count * chunkCount), chunkCount: chunkCount)
  }

  /// Returns a buffer of `count` numbers of a type, with unspecified contents.
  mutating func numbers<Number: BitwiseCopyable>(_ count: Int, of type: Number.Type) -> UnsafeMutableBufferPointer<
    Number
  > {
    let size = MemoryLayout<Lanes>.stride
    // The memory is used as numbers of this type alone from here on.
    let memory = UnsafeMutableRawPointer(reserve((count * MemoryLayout<Number>.stride + size - 1) / size))
    return UnsafeMutableBufferPointer(start: memory.bindMemory(to: type, capacity: count), count: count)
  }

  private mutating func reserve(_ count: Int) -> UnsafeMutablePointer<Lanes> {
    precondition(count <= free.count, "the workspace is too small")
    let reserved = UnsafeMutableBufferPointer(rebasing: free.prefix(count))
    free = free.dropFirst(count)
    guard let start = reserved.baseAddress else { preconditionFailure("the workspace is empty") }
    return start
  }
}

/// Consecutive rows in the memory of a ``Workspace``.
struct ActionRows {
  private let start: UnsafeMutablePointer<Lanes>
  private let chunkCount: Int

  init(_ start: UnsafeMutablePointer<Lanes>, chunkCount: Int) {
    (self.start, self.chunkCount) = (start, chunkCount)
  }

  subscript(_ row: Int) -> ActionRow {
    @inline(__always) get { ActionRow(start + row * chunkCount, chunkCount: chunkCount) }
  }

  /// The chunks of all rows, row by row.
  @inline(__always) subscript(lanesAt index: Int) -> Lanes { start[index] }
}
