import CProtobufC

/// Scratch memory for building C messages before they are encoded.
///
/// It grows without a limit, because it is used only for this process' own, validated values. It belongs to one thread.
public final class EncodeScratch {
  /// Stored behind a pointer to avoid exclusivity checks on each access.
  private let state: UnsafeMutablePointer<ScratchState>

  /// Creates an empty scratch; memory is allocated on first use.
  public init() {
    state = .allocate(capacity: 1)
    state.initialize(to: ScratchState())
  }

  deinit {
    state.pointee.freeAll()
    state.deinitialize(count: 1)
    state.deallocate()
  }

  /// Invalidates everything allocated so far, keeping the first chunk for reuse.
  public func reset() {
    state.pointee.reset()
  }

  /// Allocates zeroed memory for `count` values, valid until ``reset()``.
  public func allocate<T: BitwiseCopyable>(_ type: T.Type = T.self, count: Int = 1) -> UnsafeMutablePointer<T> {
    precondition(MemoryLayout<T>.alignment <= 16, "alignment of \(MemoryLayout<T>.alignment) is more than 16")
    let space = raw(MemoryLayout<T>.stride * count)
    space.initializeMemory(as: UInt8.self, repeating: 0, count: MemoryLayout<T>.stride * count)
    return space.bindMemory(to: T.self, capacity: count)
  }

  /// Copies the string as NUL-terminated UTF-8, valid until ``reset()``. The string must not contain NUL.
  public func cString(_ string: String) -> UnsafeMutablePointer<CChar> {
    var string = string
    return string.withUTF8 { text in
      let space = raw(text.count + 1)
      if let start = text.baseAddress { space.copyMemory(from: start, byteCount: text.count) }
      space.storeBytes(of: 0, toByteOffset: text.count, as: UInt8.self)
      return space.bindMemory(to: CChar.self, capacity: text.count + 1)
    }
  }

  /// Copies the bytes as a C `bytes` field, valid until ``reset()``.
  public func binary(_ bytes: some Collection<UInt8>) -> ProtobufCBinaryData {
    let space = raw(bytes.count).bindMemory(to: UInt8.self, capacity: bytes.count)
    _ = UnsafeMutableBufferPointer(start: space, count: bytes.count).update(fromContentsOf: bytes)
    return ProtobufCBinaryData(len: bytes.count, data: space)
  }

  private func raw(_ size: Int) -> UnsafeMutableRawPointer {
    state.pointee.allocate((size + 15) & ~15)
  }
}

/// Memory chunks and the free part of the last one.
private struct ScratchState {
  private var chunks: [UnsafeMutableRawBufferPointer] = []
  /// The start of the next allocation. A non-null placeholder before the first chunk exists, for empty allocations.
  private var next = UnsafeMutableRawPointer(bitPattern: 16)!
  private var left = 0

  /// Allocates that many bytes, a multiple of 16.
  mutating func allocate(_ size: Int) -> UnsafeMutableRawPointer {
    if left < size { use(.allocate(byteCount: max(size, 8_192 << min(chunks.count, 7)), alignment: 16)) }
    let start = next
    next += size
    left -= size
    return start
  }

  private mutating func use(_ chunk: UnsafeMutableRawBufferPointer) {
    chunks.append(chunk)
    begin(chunk)
  }

  private mutating func begin(_ chunk: UnsafeMutableRawBufferPointer) {
    next = chunk.baseAddress!
    left = chunk.count
  }

  mutating func reset() {
    if chunks.count > 1 {
      chunks[1...].forEach { $0.deallocate() }
      chunks.removeSubrange(1...)
    }
    if let first = chunks.first { begin(first) }
  }

  mutating func freeAll() {
    chunks.forEach { $0.deallocate() }
    chunks = []
  }
}
