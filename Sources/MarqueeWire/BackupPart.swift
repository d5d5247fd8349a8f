public import MarqueeModel

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
