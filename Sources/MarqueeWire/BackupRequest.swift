internal import CMarqueeProtos
public import MarqueeModel
internal import MarqueeRPC

/// A request for a backup of all data.
public struct BackupRequest: Hashable, Sendable {
  /// Creates a request.
  public init() {}
}

/// A part of a backup file. The first part is at offset 0, and the others follow contiguously.
public struct BackupPart: Hashable, Sendable {
  /// The maximum size of ``content``, in bytes.
  public static let contentSizeMax = 262_144

  /// The offset of the content in the file, in bytes.
  public var offset: UInt64
  /// The content, at least one byte.
  public var content: [UInt8]

  /// Creates a part.
  ///
  /// - Throws: ``RequestError`` if `content` is empty or larger than ``contentSizeMax``.
  public init(offset: UInt64, content: [UInt8]) throws(RequestError) {
    guard !content.isEmpty else { throw RequestError(.invalidArgument, field: "content", "must not be empty") }
    guard content.count <= Self.contentSizeMax else {
      throw .over(limit: "content-size-max", maximum: Self.contentSizeMax, count: content.count, field: "content")
    }
    self.offset = offset
    self.content = content
  }
}

extension BackupRequest: WireValue {
  init(_ message: Marquee__V1__BackupRequest) {}

  func fill(_ message: inout Marquee__V1__BackupRequest, _ scratch: EncodeScratch) {}
}

extension BackupPart: WireValue {
  init(_ message: Marquee__V1__BackupPart) throws(RequestError) {
    try self.init(offset: message.offset, content: Field.bytes(message.content))
  }

  func fill(_ message: inout Marquee__V1__BackupPart, _ scratch: EncodeScratch) {
    message.offset = offset
    message.content = scratch.bytes(content)
  }
}
