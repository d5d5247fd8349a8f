/// Finds gRPC's length-prefixed messages in the DATA frames of a stream.
///
/// A message is preceded by five bytes: a flag for compression, and the big-endian length. A message may span several
/// frames, and a frame may contain several messages. The length is checked when the prefix is complete, before any byte
/// of the message is stored.
struct MessageDeframer {
  static let prefixSize = 5

  /// A part of a chunk of bytes.
  enum Step: Equatable {
    /// A complete message at these offsets of the chunk.
    case message(Range<Int>)
    /// Bytes of a message that began before the chunk or ends after it, to be passed to ``store(_:)``.
    case fragment(Range<Int>)
    /// The stream cannot be processed any further.
    case failure(Problem)
  }

  /// The reason why a message cannot be received.
  enum Problem: Equatable {
    /// The message's size, given here, exceeds the limit.
    case tooLarge(Int)
    /// The message is compressed, although no compression was negotiated.
    case compressed
    /// The prefix begins with a reserved value.
    case invalidFlag(UInt8)
  }

  private var prefix: UInt64 = 0
  private var prefixCount = 0
  private var sizeLeft = 0
  /// The stored bytes of the incomplete message.
  private var assembly: [UInt8] = []

  /// Whether a part of a message or of its prefix has been received.
  var isInsideMessage: Bool { prefixCount > 0 }
  /// The number of stored bytes.
  var storedSize: Int { assembly.count }

  /// Returns the next part of the chunk and advances `offset`; `nil` at its end.
  mutating func next(in chunk: UnsafeRawBufferPointer, from offset: inout Int, sizeMax: Int) -> Step? {
    while prefixCount < Self.prefixSize {
      guard offset < chunk.count else { return nil }
      prefix = prefix << 8 | UInt64(chunk[offset])
      prefixCount += 1
      offset += 1
      if prefixCount == Self.prefixSize {
        if let problem = beginMessage(sizeMax) { return .failure(problem) }
        guard sizeLeft <= chunk.count - offset else { break }
        defer { offset += sizeLeft }
        prefixCount = 0
        return .message(offset..<(offset + sizeLeft))
      }
    }
    let size = min(sizeLeft, chunk.count - offset)
    guard size > 0 else { return nil }
    offset += size
    return .fragment((offset - size)..<offset)
  }

  private mutating func beginMessage(_ sizeMax: Int) -> Problem? {
    let (flag, size) = (UInt8(truncatingIfNeeded: prefix >> 32), Int(UInt32(truncatingIfNeeded: prefix)))
    prefix = 0
    if flag > 1 { return .invalidFlag(flag) }
    if size > sizeMax { return .tooLarge(size) }
    if flag == 1 { return .compressed }
    sizeLeft = size
    return nil
  }

  /// Stores a fragment.
  ///
  /// - Returns: The message if the fragment was its last.
  mutating func store(_ fragment: UnsafeRawBufferPointer) -> [UInt8]? {
    // A peer that announces much and sends little costs little.
    if assembly.isEmpty { assembly.reserveCapacity(min(sizeLeft, 4 * fragment.count)) }
    assembly.append(contentsOf: fragment)
    sizeLeft -= fragment.count
    guard sizeLeft == 0 else { return nil }
    prefixCount = 0
    defer { assembly = [] }
    return assembly
  }

  /// Drops the incomplete message.
  mutating func reset() {
    self = MessageDeframer()
  }
}
