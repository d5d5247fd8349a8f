/// The memory for the vectors of one computation, allocated at once.
///
/// Allocating each vector as an array would cost more than most computations with it.
struct Workspace {
  /// The number of chunks of eight actions in each row.
  let chunkCount: Int
  private let memory: UnsafeMutableBufferPointer<Lanes>
  private var usedCount = 0

  /// Allocates a workspace, whose memory is valid until ``deallocate()``.
  ///
  /// It is not passed to a closure, since one that calls a method of the predictor would copy the predictor.
  init(rowCount: Int, chunkCount: Int, laneCount: Int = 0) {
    self.chunkCount = chunkCount
    memory = .allocate(capacity: rowCount * chunkCount + laneCount)
  }

  /// Ends the use of the workspace and all of its rows.
  func deallocate() { memory.deallocate() }

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
    precondition(count <= memory.count - usedCount, "the workspace is too small")
    guard let start = memory.baseAddress else { preconditionFailure("the workspace is empty") }
    defer { usedCount += count }
    return start + usedCount
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
}
