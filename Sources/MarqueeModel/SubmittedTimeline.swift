/// A timeline in the form in which a provider sent it, sorted once.
public struct SubmittedTimeline: Sendable {
  /// The entries in the order sent.
  public let entries: [TimelineEntry]
  /// The timeline, whose entries are sorted by date.
  public let timeline: Timeline
  /// The indices in ``entries`` of the timeline's entries, or `nil` if both are in one order.
  private let order: [Int]?

  /// Creates a timeline from entries in any order. They are sorted, and of entries with equal dates the last one is
  /// kept (rule T2).
  public init(
    _ entries: [TimelineEntry], policy: TimelineReloadPolicy, family: WidgetFamily? = nil,
    fallback: EntryContent? = nil, group: GroupName? = nil
  ) {
    self.entries = entries
    order = Self.order(of: entries)
    timeline = Timeline(
      sorted: order?.map { entries[$0] } ?? entries, policy: policy, family: family, fallback: fallback, group: group)
  }

  /// Returns the index in the order sent of the entry at a position of ``timeline``.
  public func sentIndex(ofEntryAt position: Int) -> Int { order?[position] ?? position }

  private static func order(of entries: [TimelineEntry]) -> [Int]? {
    if zip(entries, entries.dropFirst()).allSatisfy({ $0.date < $1.date }) { return nil }
    var order: [Int] = []
    order.reserveCapacity(entries.count)
    for index in entries.indices.sorted(by: { (entries[$0].date, $0) < (entries[$1].date, $1) }) {
      if let last = order.last, entries[last].date == entries[index].date { order.removeLast() }
      order.append(index)
    }
    return order
  }
}
