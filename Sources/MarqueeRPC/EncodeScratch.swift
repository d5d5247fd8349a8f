import CProtobufC

/// Short-lived memory in which C messages are put together before they are packed.
///
/// It is for our own values, which have been checked, so it grows as needed. It belongs to one thread.
public final class EncodeScratch {
  private var chunks: [UnsafeMutableRawBufferPointer] = []
  private var chunkIndex = 0
  private var used = 0

  /// Empty; memory is taken at first use.
  public init() {}

  deinit {
    chunks.forEach { $0.deallocate() }
  }

  /// Ends the validity of all that was handed out, and keeps the first chunk for what comes next.
  public func reset() {
    if chunks.count > 1 {
      chunks[1...].forEach { $0.deallocate() }
      chunks.removeSubrange(1...)
    }
    chunkIndex = 0
    used = 0
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
    let needed = (size + 15) & ~15
    while chunkIndex < chunks.count, chunks[chunkIndex].count - used < needed {
      chunkIndex += 1
      used = 0
    }
    if chunkIndex == chunks.count {
      chunks.append(.allocate(byteCount: max(needed, 8_192 << min(chunks.count, 7)), alignment: 16))
    }
    defer { used += needed }
    return chunks[chunkIndex].baseAddress! + used
  }
}
