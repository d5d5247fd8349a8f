internal import CMarqueeProtos
public import MarqueeModel
internal import MarqueeRPC

/// Asks for all that the server has.
public struct BackupRequest: Hashable, Sendable {
  /// The request.
  public init() {}
}

/// A piece of a backup's file. The first one is at offset 0, and each begins where the one before it ends.
public struct BackupPart: Hashable, Sendable {
  /// Bytes of content in one piece, at most.
  public static let contentSizeMax = 262_144

  /// Where the content begins in the file, in bytes.
  public var offset: UInt64
  /// The bytes, at least one.
  public var content: [UInt8]

  /// A piece; refuses one without content, and one of more than ``contentSizeMax``.
  public init(offset: UInt64, content: [UInt8]) throws(Refusal) {
    guard !content.isEmpty else { throw Refusal(.invalidArgument, field: "content", "empty") }
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
  init(_ message: Marquee__V1__BackupPart) throws(Refusal) {
    try self.init(offset: message.offset, content: Field.bytes(message.content))
  }

  func fill(_ message: inout Marquee__V1__BackupPart, _ scratch: EncodeScratch) {
    message.offset = offset
    message.content = scratch.bytes(content)
  }
}
