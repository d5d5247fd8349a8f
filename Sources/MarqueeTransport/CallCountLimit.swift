import MarqueeRPC

/// A limit on concurrent calls of one kind on a connection.
public struct CallCountLimit: Sendable {
  /// The name of the limit.
  public let name: String
  /// The noun for the counted calls, for error messages.
  public let content: String
  /// The maximum number of concurrent calls.
  public let countMax: Int

  /// Creates a limit.
  public init(_ name: String, of content: String, countMax: Int) {
    self.name = name
    self.content = content
    self.countMax = countMax
  }
}

extension OpenedCall {
  /// The maximum size of the metadata kept for an unauthenticated call.
  private static let anonymousMetadataSizeMax = 1_024

  /// The call, without metadata larger than the limit for unauthenticated calls.
  var withoutLargeMetadata: OpenedCall {
    guard metadata.size > Self.anonymousMetadataSizeMax else { return self }
    return OpenedCall(
      stream: stream, method: method, deadline: deadline, metadata: Metadata(), acceptsMoved: acceptsMoved)
  }
}
