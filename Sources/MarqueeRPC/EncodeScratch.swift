import CProtobufC

/// Short-lived memory in which C messages are put together before they are packed.
///
/// It is for our own values, which have been checked, so it grows as needed. It belongs to one thread.
public final class EncodeScratch {
  /// Behind a pointer, since each access to a class's own variable is checked to be the only one.
  private let state: UnsafeMutablePointer<ScratchState>

  /// Empty; memory is taken at first use.
  public init() {
    state = .allocate(capacity: 1)
    state.initialize(to: ScratchState())
  }

  deinit {
    state.pointee.freeAll()
    state.deinitialize(count: 1)
    state.deallocate()
  }

  /// Ends the validity of all that was handed out, and keeps the first chunk for what comes next.
  public func reset() {
    state.pointee.reset()
  }

  /// Room for `count` values, zeroed, valid until ``reset()``.
  public func allocate<T: BitwiseCopyable>(_ type: T.Type = T.self, count: Int = 1) -> UnsafeMutablePointer<T> {
    precondition(MemoryLayout<T>.alignment <= 16, "alignment of \(MemoryLayout<T>.alignment) is more than 16")
    let space = raw(MemoryLayout<T>.stride * count)
    space.initializeMemory(as: UInt8.self, repeating: 0, count: MemoryLayout<T>.stride * count)
    return space.bindMemory(to: T.self, capacity: count)
  }

  /// The string in UTF-8, ended by NUL, valid until ``reset()``. The string holds no NUL of its own.
  public func cString(_ string: String) -> UnsafeMutablePointer<CChar> {
    var string = string
    return string.withUTF8 { text in
      let space = raw(text.count + 1)
      if let start = text.baseAddress { space.copyMemory(from: start, byteCount: text.count) }
      space.storeBytes(of: 0, toByteOffset: text.count, as: UInt8.self)
      return space.bindMemory(to: CChar.self, capacity: text.count + 1)
    }
  }

  /// A copy of the bytes as a C `bytes` field, valid until ``reset()``.
  public func binary(_ bytes: some Collection<UInt8>) -> ProtobufCBinaryData {
    let space = raw(bytes.count).bindMemory(to: UInt8.self, capacity: bytes.count)
    _ = UnsafeMutableBufferPointer(start: space, count: bytes.count).update(fromContentsOf: bytes)
    return ProtobufCBinaryData(len: bytes.count, data: space)
  }

  private func raw(_ size: Int) -> UnsafeMutableRawPointer {
    state.pointee.allocate((size + 15) & ~15)
  }
}

/// Chunks of memory and how far the last of them is used.
private struct ScratchState {
  private var chunks: [UnsafeMutableRawBufferPointer] = []
  /// Where the next value goes; before there is a chunk only those without bytes go here.
  private var next = UnsafeMutableRawPointer(bitPattern: 16)!
  private var left = 0

  /// Room for that many bytes, a multiple of 16.
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
