import MarqueeModel
import MarqueeWire

/// A timeline that is to be published, cut into pieces of bounded size.
struct TimelinePieces: Sendable {
  /// Entries in one piece.
  static let entryCountMax = 256
  /// Bytes of content in one piece, unless a single entry has more.
  static let pieceSizeMax = 262_144
  /// Bytes of content in one entry: what a message can carry, beside its other fields.
  static let contentSizeMax = ProviderService.partSizeMax - 131_072

  let widget: Widget
  let policy: TimelineReloadPolicy
  let entries: [TimelineEntry]

  /// The pieces in their order; the last one commits.
  func parts(_ id: PublishID) -> [TimelinePart] {
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
