/// A vector with one number per action in the memory of a ``Workspace``, stored in SIMD chunks of eight.
///
/// Copies refer to the same numbers. Numbers are unspecified until they are assigned.
struct ActionRow {
  private let lanes: UnsafeMutablePointer<Lanes>
  let chunkCount: Int

  init(_ lanes: UnsafeMutablePointer<Lanes>, chunkCount: Int) {
    (self.lanes, self.chunkCount) = (lanes, chunkCount)
  }

  var chunks: Range<Int> { 0..<chunkCount }

  subscript(chunk chunk: Int) -> Lanes {
    @inline(__always) get {
      assert(chunks.contains(chunk), "chunk \(chunk) is out of range")
      return lanes[chunk]
    }
    @inline(__always) nonmutating set {
      assert(chunks.contains(chunk), "chunk \(chunk) is out of range")
      lanes[chunk] = newValue
    }
  }

  /// A lane is read and written in memory: extracting a lane by a variable index would copy the whole chunk.
  subscript(_ action: Int) -> Float {
    @inline(__always) get {
      assert(chunks.contains(action >> 3), "action \(action) is out of range")
      return UnsafeMutableRawPointer(lanes).load(fromByteOffset: 4 &* action, as: Float.self)
    }
    @inline(__always) nonmutating set {
      assert(chunks.contains(action >> 3), "action \(action) is out of range")
      UnsafeMutableRawPointer(lanes).storeBytes(of: newValue, toByteOffset: 4 &* action, as: Float.self)
    }
  }

  /// Assigns another row, multiplied by a factor.
  @inline(__always) func assign(_ other: ActionRow, times factor: Float = 1) {
    for chunk in chunks { self[chunk: chunk] = other[chunk: chunk] * factor }
  }

  /// Sets all numbers to 0.
  @inline(__always) func clear() { assign(0) }

  /// Sets all numbers to one number.
  @inline(__always) func assign(_ number: Float) {
    for chunk in chunks { self[chunk: chunk] = Lanes(repeating: number) }
  }

  /// The chunks, for copying.
  var buffer: UnsafeBufferPointer<Lanes> { UnsafeBufferPointer(start: lanes, count: chunkCount) }
}
