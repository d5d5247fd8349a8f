import CProtobufC

/// An arena for decoding one message at a time, with a fixed quota, reused for every message.
///
/// libprotobuf-c allocates from it by advancing a pointer, so allocation is fast and deallocation is free. A message
/// can use at most `min(16 MiB, 64 KiB + 64 × size)`, so inputs that are much larger once decoded fail within
/// milliseconds. An arena belongs to one event loop and must not be shared between threads.
public final class DecodeArena {
  /// The maximum memory of a decoded message, in bytes.
  public static let quotaMax = 16 << 20
  /// The quota of the smallest message, in bytes.
  static let quotaMin = 64 << 10
  /// The memory kept between messages, in bytes.
  static let retainedSizeMax = 256 << 10

  private let state: UnsafeMutablePointer<ArenaState>
  private let allocator: UnsafeMutablePointer<ProtobufCAllocator>

  /// Creates an empty arena; memory is allocated for the first message.
  public init() {
    state = .allocate(capacity: 1)
    state.initialize(to: ArenaState())
    allocator = .allocate(capacity: 1)
    allocator.initialize(
      to: ProtobufCAllocator(
        alloc: { data, size in
          data?.assumingMemoryBound(to: ArenaState.self).pointee.allocate(size)
        },
        free: { _, _ in },
        allocator_data: UnsafeMutableRawPointer(state)))
  }

  deinit {
    state.pointee.freeAll()
    state.deinitialize(count: 1)
    state.deallocate()
    allocator.deallocate()
  }

  /// Decodes `bytes` as the message type of `descriptor`, whose C structure is `T`.
  ///
  /// - Returns: The message. It, and everything that it points to, is valid until the next `unpack` on this arena.
  /// - Throws: ``RPCStatus`` `RESOURCE_EXHAUSTED` if the quota is exceeded, `INVALID_ARGUMENT` if the bytes are
  ///   malformed.
  public func unpack<T>(
    _ descriptor: UnsafePointer<ProtobufCMessageDescriptor>, _ bytes: UnsafeRawBufferPointer, as: T.Type = T.self
  ) throws(RPCStatus) -> UnsafePointer<T> {
    let sizes = MemoryLayout<T>.size...MemoryLayout<T>.stride
    precondition(sizes.contains(descriptor.pointee.sizeof_message), "the descriptor does not match the C structure")
    let quota = Self.quota(forMessageOf: bytes.count)
    state.pointee.reset(quota: quota)
    var nothing: UInt8 = 0
    let message = withUnsafePointer(to: &nothing) { nothing in
      let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) ?? nothing
      return protobuf_c_message_unpack(descriptor, allocator, bytes.count, start)
    }
    guard let message else {
      if state.pointee.isExhausted {
        let message = "decoded message of \(bytes.count) bytes exceeds decode-size-max (\(quota))"
        throw RPCStatus(.resourceExhausted, message)
      }
      throw RPCStatus(.invalidArgument, "malformed message of \(bytes.count) bytes")
    }
    return UnsafeRawPointer(message).assumingMemoryBound(to: T.self)
  }

  /// Returns the string field at `pointer` of the message unpacked last, validated as strict UTF-8 without NUL.
  ///
  /// The whole field is validated, not only the part before its first NUL. `nil` and the default value are the empty
  /// string.
  ///
  /// - Parameters:
  ///   - pointer: The C string.
  ///   - field: The field's path, for the error.
  ///   - last: A string that is returned, instead of a new one, if the field equals it.
  /// - Throws: ``RPCStatus`` `INVALID_ARGUMENT` with the field's path.
  public func string(
    _ pointer: UnsafePointer<CChar>?, field: @autoclosure () -> String, last: String? = nil
  ) throws(RPCStatus) -> String {
    if let last, isString(pointer, equalTo: last) { return last }
    guard let pointer, pointer.pointee != 0 || state.pointee.contains(pointer) else { return "" }
    guard state.pointee.contains(pointer) else { return String(cString: pointer) }
    let bytes = UnsafeRawBufferPointer(start: pointer, count: ArenaState.size(at: pointer) - 1)
    guard let string = String(strictUTF8: bytes) else {
      throw RPCStatus(.invalidArgument, "\(field()): invalid UTF-8 or contains NUL")
    }
    return string
  }

  /// Whether the string field at `pointer` equals `string`, which has no NUL.
  func isString(_ pointer: UnsafePointer<CChar>?, equalTo string: String) -> Bool {
    guard let pointer, state.pointee.contains(pointer) else { return false }
    var string = string
    return string.withUTF8 { text in
      let bytes = UnsafeRawBufferPointer(start: pointer, count: ArenaState.size(at: pointer) - 1)
      return UnsafeRawBufferPointer(text).equals(bytes)
    }
  }

  static func quota(forMessageOf size: Int) -> Int {
    size > (quotaMax - quotaMin) / 64 ? quotaMax : quotaMin + 64 * size
  }
}

/// Memory chunks and the position in the current one. Each allocation is preceded by its size, in 8 bytes.
private struct ArenaState {
  private var chunks: [UnsafeMutableRawBufferPointer] = []
  private var chunkIndex = 0
  private var used = 0
  private var quotaLeft = 0
  private(set) var isExhausted = false

  mutating func reset(quota: Int) {
    while let last = chunks.last, chunks.count > 1, chunks.reduce(0, { $0 + $1.count }) > DecodeArena.retainedSizeMax {
      last.deallocate()
      chunks.removeLast()
    }
    chunkIndex = 0
    used = 0
    quotaLeft = quota
    isExhausted = false
  }

  mutating func allocate(_ size: Int) -> UnsafeMutableRawPointer? {
    guard size <= DecodeArena.quotaMax else { return reject() }
    let needed = (size + 15) & ~7
    guard needed <= quotaLeft else { return reject() }
    quotaLeft -= needed
    while chunkIndex < chunks.count, chunks[chunkIndex].count - used < needed {
      chunkIndex += 1
      used = 0
    }
    if chunkIndex == chunks.count {
      let previous = chunks.last?.count ?? 4 << 10
      chunks.append(.allocate(byteCount: max(needed, min(previous * 2, 1 << 20)), alignment: 16))
    }
    let start = chunks[chunkIndex].baseAddress! + used
    start.storeBytes(of: size, as: Int.self)
    used += needed
    return start + 8
  }

  private mutating func reject() -> UnsafeMutableRawPointer? {
    isExhausted = true
    return nil
  }

  func contains(_ pointer: UnsafeRawPointer) -> Bool {
    chunks.contains { chunk in
      let start = UnsafeRawPointer(chunk.baseAddress!)
      return pointer >= start && pointer < start + chunk.count
    }
  }

  static func size(at pointer: UnsafeRawPointer) -> Int {
    (pointer - 8).load(as: Int.self)
  }

  mutating func freeAll() {
    chunks.forEach { $0.deallocate() }
    chunks = []
  }
}

extension String {
  /// Creates a string from the bytes, or returns `nil` unless they are valid UTF-8 without NUL.
  public init?(strictUTF8 bytes: UnsafeRawBufferPointer) {
    guard !bytes.containsZero else { return nil }
    do {
      self.init(copying: try UTF8Span(validating: bytes.bindMemory(to: UInt8.self).span))
    } catch {
      return nil
    }
  }
}

extension UnsafeRawBufferPointer {
  /// Returns whether the bytes are those of `other`, comparing up to eight at a time.
  package func equals(_ other: UnsafeRawBufferPointer) -> Bool {
    guard count == other.count else { return false }
    func areEqual<Word: FixedWidthInteger & BitwiseCopyable>(_ offset: Int, _: Word.Type) -> Bool {
      loadUnaligned(fromByteOffset: offset, as: Word.self) == other.loadUnaligned(fromByteOffset: offset, as: Word.self)
    }
    guard count >= 8 else {
      // The two words overlap.
      if count >= 4 { return areEqual(0, UInt32.self) && areEqual(count - 4, UInt32.self) }
      return (0..<count).allSatisfy { self[$0] == other[$0] }
    }
    var offset = 0
    while count - offset > 8 {
      guard areEqual(offset, UInt64.self) else { return false }
      offset += 8
    }
    return areEqual(count - 8, UInt64.self)
  }

  /// Whether any byte is 0, searched eight bytes at a time: the expression sets the high bit of a byte only if the word
  /// contains a zero byte (Warren, Hacker's Delight, 6-1).
  var containsZero: Bool {
    var offset = 0
    while count - offset >= 8 {
      let word = loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      if (word &- 0x0101_0101_0101_0101) & ~word & 0x8080_8080_8080_8080 != 0 { return true }
      offset += 8
    }
    return (offset..<count).contains { self[$0] == 0 }
  }
}
