public import MarqueeModel

/// A timeline that is to be sent, cut into pieces of bounded size.
public struct TimelinePieces: Sendable {
  /// Entries in one piece.
  public static let entryCountMax = 256
  /// Bytes of content in one piece, unless a single entry has more.
  public static let pieceSizeMax = 262_144
  /// Bytes of content in one entry: what a message can carry, beside its other fields.
  public static let contentSizeMax = ProviderService.partSizeMax - 131_072

  /// The widget.
  public let widget: Widget
  /// When to ask for more.
  public let policy: TimelineReloadPolicy
  /// The entries, in the order in which they are sent.
  public let entries: [TimelineEntry]

  /// A timeline to be sent.
  public init(widget: Widget, policy: TimelineReloadPolicy, entries: [TimelineEntry]) {
    self.widget = widget
    self.policy = policy
    self.entries = entries
  }

  /// The pieces in their order; the last one commits.
  public func parts(_ id: PublishID) -> [TimelinePart] {
    var parts: [TimelinePart] = []
    var (first, size) = (0, 0)
    for (index, entry) in entries.enumerated() {
      let isFull = index - first == Self.entryCountMax || size + entry.content.bytes.count > Self.pieceSizeMax
      if index > first, isFull {
        parts.append(TimelinePart(publish: id, entries: Array(entries[first..<index])))
        (first, size) = (index, 0)
      }
      size += entry.content.bytes.count
    }
    parts.append(TimelinePart(publish: id, entries: Array(entries[first...]), isCommit: true))
    parts[0].widget = widget
    parts[0].policy = policy
    return parts
  }
}
