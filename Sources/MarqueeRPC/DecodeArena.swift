import CProtobufC

/// Memory for one decoded message at a time, with a hard quota, reused for each message.
///
/// libprotobuf-c decodes into it by bumping a pointer, so decoding is fast, freeing is free, and no input can make it
/// take more than `min(16 MiB, 64 KiB + 64 × size)`: inputs that merge or amplify run into the quota within
/// milliseconds. An arena belongs to one event loop and is not to be shared between threads.
public final class DecodeArena {
  /// Most memory that any one message may take, in bytes.
  public static let quotaMax = 16 << 20
  /// What even the smallest message may take, in bytes.
  static let quotaMin = 64 << 10
  /// Memory that is kept between messages, in bytes.
  static let retainedSizeMax = 256 << 10

  private let state: UnsafeMutablePointer<ArenaState>
  private let allocator: UnsafeMutablePointer<ProtobufCAllocator>

  /// An empty arena; it takes memory at the first message.
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

  /// Decodes `bytes` as a message of that descriptor, whose C structure is `T`.
  ///
  /// The result, with all it points to, is valid until the next `unpack` on this arena. Throws `RESOURCE_EXHAUSTED`
  /// when the quota does not suffice, and `INVALID_ARGUMENT` when the bytes are no such message.
  public func unpack<T>(
    _ descriptor: UnsafePointer<ProtobufCMessageDescriptor>, _ bytes: UnsafeRawBufferPointer, as: T.Type = T.self
  ) throws(RPCStatus) -> UnsafePointer<T> {
    let sizes = MemoryLayout<T>.size...MemoryLayout<T>.stride
    precondition(sizes.contains(descriptor.pointee.sizeof_message), "the descriptor is not that of the structure")
    let quota = Self.quota(forMessageOf: bytes.count)
    state.pointee.reset(quota: quota)
    var nothing: UInt8 = 0
    let message = withUnsafePointer(to: &nothing) { nothing in
      let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) ?? nothing
      return protobuf_c_message_unpack(descriptor, allocator, bytes.count, start)
    }
    guard let message else {
      if state.pointee.isExhausted {
        throw RPCStatus(
          .resourceExhausted, "decode-size-max is \(quota) for a message of \(bytes.count) bytes, this one needs more")
      }
      throw RPCStatus(.invalidArgument, "message of \(bytes.count) bytes is not well formed")
    }
    return UnsafeRawPointer(message).assumingMemoryBound(to: T.self)
  }

  /// The string at a field of the message unpacked last, checked: strict UTF-8 without NUL.
  ///
  /// The whole field is looked at, not only what comes before its first NUL. `nil` and the default are the empty
  /// string. Throws `INVALID_ARGUMENT` with the field's path.
  /// When it is the same as `last`, it is that string, and nothing is made.
  public func string(
    _ pointer: UnsafePointer<CChar>?, field: @autoclosure () -> String, last: String? = nil
  ) throws(RPCStatus) -> String {
    if let last, isString(pointer, equalTo: last) { return last }
    guard let pointer, pointer.pointee != 0 || state.pointee.contains(pointer) else { return "" }
    guard state.pointee.contains(pointer) else { return String(cString: pointer) }
    let bytes = UnsafeRawBufferPointer(start: pointer, count: ArenaState.size(at: pointer) - 1)
    guard let string = String(strictUTF8: bytes) else {
      throw RPCStatus(.invalidArgument, "\(field()): not UTF-8 without NUL")
    }
    return string
  }

  /// Whether the string at a field of the message unpacked last is `string`, which has no NUL.
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

/// Chunks of memory and how far the last of them is used. Each allocation is preceded by its size, in 8 bytes.
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
    guard size <= DecodeArena.quotaMax else { return refuse() }
    let needed = (size + 15) & ~7
    guard needed <= quotaLeft else { return refuse() }
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

  private mutating func refuse() -> UnsafeMutableRawPointer? {
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
  /// The string of those bytes, or `nil` unless they are strict UTF-8 without NUL.
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
  /// Whether the bytes are the same, compared eight at a time.
  func equals(_ other: UnsafeRawBufferPointer) -> Bool {
    guard count == other.count else { return false }
    var offset = 0
    while count - offset >= 8 {
      let word = loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      guard word == other.loadUnaligned(fromByteOffset: offset, as: UInt64.self) else { return false }
      offset += 8
    }
    return (offset..<count).allSatisfy { self[$0] == other[$0] }
  }

  /// Whether one of the bytes is 0, looked for in eight at a time: only in a word with such a byte does a borrow reach
  /// a highest bit that was not set (Warren, Hacker's Delight, 6-1).
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
