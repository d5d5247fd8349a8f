/// The part of a person's log that is replayed: the last days, with a stack of the items used most before them.
public struct ReplayPlan: Sendable, Equatable {
  /// One use with its instant.
  public struct Use: Sendable, Equatable {
    /// The local time in milliseconds since the start of 1970. Uses in the same second are one millisecond apart, and
    /// the first is one millisecond after the second, so that events due on the second precede it.
    public let at: Int64
    /// The number of the item.
    public let item: Int
    /// The number of the place, or `nil` if none is given.
    public let place: Int?
    /// The number of the action without its parameter.
    let group: Int
  }

  private static let dayMilliseconds: Int64 = 86_400_000

  /// The person's name.
  public let name: String
  /// The uses before ``start``.
  public let history: [Use]
  /// The uses from ``start`` on.
  public let uses: [Use]
  /// The stack's items, ordered by use count, then by first appearance.
  public let items: [Int]
  /// The midnight at which the replay begins, in the unit of ``Use/at``.
  public let start: Int64
  /// The midnight after the last use.
  public let end: Int64
  /// The number of days with any use, from ``start`` on.
  public let activeDayCount: Int

  /// Creates a plan for the last `dayCount` days of a person, ending with the day of the last use, and a stack of at
  /// most `itemCountMax` items.
  ///
  /// Returns `nil` if the person has uses on fewer than `dayCount` days before them. The stack is determined by the
  /// history alone.
  public init?(_ person: HabitLog.Person, dayCount: Int, itemCountMax: Int) {
    precondition(dayCount > 0 && itemCountMax > 0, "\(dayCount) days, \(itemCountMax) items")
    guard let last = person.uses.last?.day else { return nil }
    let firstDay = last - dayCount + 1
    let uses = Self.uses(person.uses)
    let historyCount = person.uses.prefix { $0.day < firstDay }.count
    guard Set(person.uses.prefix(historyCount).map(\.day)).count >= dayCount else { return nil }
    name = person.name
    history = Array(uses.prefix(historyCount))
    self.uses = Array(uses.dropFirst(historyCount))
    start = Int64(firstDay) * Self.dayMilliseconds
    end = Int64(last + 1) * Self.dayMilliseconds
    activeDayCount = Set(person.uses.dropFirst(historyCount).map(\.day)).count
    var counts = [Int](repeating: 0, count: person.itemCount)
    for use in history { counts[use.item] += 1 }
    let order = counts.indices.filter { counts[$0] > 0 }.sorted { (-counts[$0], $0) < (-counts[$1], $1) }
    items = Array(order.prefix(itemCountMax))
  }

  private static func uses(_ uses: [HabitLog.Use]) -> [Use] {
    var last: Int64 = .min
    return uses.map { use in
      last = max(Int64(use.time) * 1_000, last) + 1
      return Use(at: last, item: use.item, place: use.place, group: use.action)
    }
  }
}
