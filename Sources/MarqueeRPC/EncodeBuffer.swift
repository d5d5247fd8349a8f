import CProtobufC

/// A growing byte buffer into which frames and messages are encoded.
public struct EncodeBuffer {
  /// The encoded bytes.
  public private(set) var bytes: [UInt8] = []
  /// The memory for building C messages before ``append(packing:)``; valid until `scratch.reset()`.
  public let scratch: EncodeScratch

  /// Creates an empty buffer, with its own scratch memory or one shared on the same thread.
  public init(scratch: EncodeScratch = EncodeScratch()) {
    self.scratch = scratch
  }

  /// The number of bytes.
  @inlinable public var count: Int { bytes.count }
  /// Whether there are no bytes.
  @inlinable public var isEmpty: Bool { bytes.isEmpty }

  /// Appends raw bytes.
  public mutating func append(_ source: UnsafeRawBufferPointer) {
    bytes.append(contentsOf: source)
  }

  /// Appends bytes.
  public mutating func append(_ source: [UInt8]) {
    bytes.append(contentsOf: source)
  }

  /// Appends the encoding of a C message.
  public mutating func append(packing message: UnsafePointer<ProtobufCMessage>) {
    withBytes(count: protobuf_c_message_get_packed_size(message)) { space in
      guard let start = space.baseAddress else { return }
      _ = protobuf_c_message_pack(message, start.assumingMemoryBound(to: UInt8.self))
    }
  }

  /// Appends `count` bytes; `body` must initialize all of them.
  mutating func withBytes(count: Int, _ body: (UnsafeMutableRawBufferPointer) -> Void) {
    bytes.append(addingCapacity: count) { space in
      space.withUnsafeMutableBufferPointer { space, initializedCount in
        body(UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(space)[..<count]))
        initializedCount = count
      }
    }
  }

  /// Removes all bytes after the first `count`.
  mutating func truncate(to count: Int) {
    bytes.removeLast(bytes.count - count)
  }

  /// Removes all bytes, keeping the capacity if it is at most `keepingSizeMax`.
  public mutating func removeAll(keepingSizeMax: Int = 64 << 10) {
    bytes.removeAll(keepingCapacity: bytes.capacity <= keepingSizeMax)
  }

  mutating func append(bigEndian value: UInt32) {
    bytes.append(UInt8(truncatingIfNeeded: value >> 24))
    bytes.append(UInt8(truncatingIfNeeded: value >> 16))
    bytes.append(UInt8(truncatingIfNeeded: value >> 8))
    bytes.append(UInt8(truncatingIfNeeded: value))
  }

  mutating func set(bigEndian value: UInt32, at offset: Int) {
    bytes.withUnsafeMutableBytes { $0.storeBytes(of: value.bigEndian, toByteOffset: offset, as: UInt32.self) }
  }
}
