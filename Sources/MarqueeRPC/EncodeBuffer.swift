import CProtobufC

/// Bytes that grow at the end; frames and messages are encoded into it.
public struct EncodeBuffer {
  /// The bytes so far.
  public private(set) var bytes: [UInt8] = []
  /// Memory for building C messages before ``append(packing:)``. It stays valid until `scratch.reset()`.
  public let scratch: EncodeScratch

  /// An empty buffer with scratch memory of its own, or with one that others on the same thread use too.
  public init(scratch: EncodeScratch = EncodeScratch()) {
    self.scratch = scratch
  }

  /// Number of bytes.
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

  /// Appends a C message in its encoding.
  public mutating func append(packing message: UnsafePointer<ProtobufCMessage>) {
    withBytes(count: protobuf_c_message_get_packed_size(message)) { space in
      guard let start = space.baseAddress else { return }
      _ = protobuf_c_message_pack(message, start.assumingMemoryBound(to: UInt8.self))
    }
  }

  /// Appends `count` bytes, every one of which `body` writes.
  mutating func withBytes(count: Int, _ body: (UnsafeMutableRawBufferPointer) -> Void) {
    bytes.append(addingCapacity: count) { space in
      space.withUnsafeMutableBufferPointer { space, initializedCount in
        body(UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(space)[..<count]))
        initializedCount = count
      }
    }
  }

  /// Drops all bytes after the first `count`.
  mutating func truncate(to count: Int) {
    bytes.removeLast(bytes.count - count)
  }

  /// Drops all bytes and keeps the memory when it is not more than `keepingSizeMax`.
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
