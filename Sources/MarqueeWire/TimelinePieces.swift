public import MarqueeModel

/// A timeline to send, split into parts of bounded size.
public struct TimelinePieces: Sendable {
  /// The maximum number of entries in a part.
  public static let entryCountMax = 256
  /// The maximum content size of a part, in bytes, unless a single entry or the fallback is larger.
  public static let pieceSizeMax = 262_144
  /// The maximum content size of an entry, or of the fallback, in bytes: what fits in one message with its other
  /// fields.
  public static let contentSizeMax = ProviderService.partSizeMax - 131_072

  /// The widget.
  public let widget: Widget
  /// The family that the content is made for; `nil` for every family of the kind.
  public let family: WidgetFamily?
  /// The reload policy.
  public let policy: TimelineReloadPolicy
  /// The entries, in sending order.
  public let entries: [TimelineEntry]
  /// The content that replaces that of an expired entry; `nil` if there is none (rule W4).
  public let fallback: EntryContent?
  /// The group that the widget is in while it has the timeline; `nil` for none (rule R15).
  public let group: GroupName?

  /// Creates a timeline to send.
  public init(
    widget: Widget, family: WidgetFamily?, policy: TimelineReloadPolicy, entries: [TimelineEntry],
    fallback: EntryContent? = nil, group: GroupName? = nil
  ) {
    self.widget = widget
    self.family = family
    self.policy = policy
    self.entries = entries
    self.fallback = fallback
    self.group = group
  }

  /// Returns the parts in order; the last one has the commit flag.
  public func parts(_ id: PublishID) -> [TimelinePart] {
    var parts: [TimelinePart] = []
    // The first part also has the fallback, and no entry if the fallback fills it.
    var (first, size) = (0, fallback?.storedSize ?? 0)
    for (index, entry) in entries.enumerated() {
      let isFull = index - first == Self.entryCountMax || size + entry.storedContentSize > Self.pieceSizeMax
      if index > first || size > 0, isFull {
        parts.append(TimelinePart(publish: id, entries: Array(entries[first..<index])))
        (first, size) = (index, 0)
      }
      size += entry.storedContentSize
    }
    parts.append(TimelinePart(publish: id, entries: Array(entries[first...]), isCommit: true))
    parts[0].widget = widget
    parts[0].family = family
    parts[0].policy = policy
    parts[0].fallback = fallback
    parts[0].group = group
    return parts
  }
}
