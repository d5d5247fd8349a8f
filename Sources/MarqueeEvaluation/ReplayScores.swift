/// What came of the rotations of replayed stacks, and how often the right widget was in front, over any number of
/// people.
public struct ReplayScores: Sendable, Equatable {
  /// A widget came to the front, or was there when the replay began.
  public struct Front: Sendable, Equatable {
    /// Milliseconds as ``ReplayPlan/Use/at``. What comes at the instant of a use comes after it.
    public let at: Int64
    /// The number of the widget's item.
    public let item: Int

    public init(at: Int64, item: Int) {
      self.at = at
      self.item = item
    }
  }

  /// What would have come of one way to choose the front.
  public struct Choice: Sendable, Equatable {
    /// How often another widget came to the front.
    public internal(set) var changeCount = 0
    /// At how many of the instants at which the stack rotated it had in front what was used within ``windowSeconds``.
    public internal(set) var trueCount = 0
    /// Uses of the stack's items that found their widget in front.
    public internal(set) var hitCount = 0

    public init(changeCount: Int = 0, trueCount: Int = 0, hitCount: Int = 0) {
      (self.changeCount, self.trueCount, self.hitCount) = (changeCount, trueCount, hitCount)
    }
  }

  /// How long after a rotation a use makes it come true: as far as predictions look ahead.
  public static let windowSeconds = 1_800
  /// The ways to choose the front that are compared.
  public static let methods: [Method] = [.marquee, .mostFrequent, .mostRecent]

  /// People replayed.
  public private(set) var personCount = 0
  /// Days with any use.
  public private(set) var activeDayCount = 0
  /// Uses replayed.
  public private(set) var useCount = 0
  /// Those of items that the stack has.
  public private(set) var memberUseCount = 0
  /// Automatic rotations.
  public private(set) var rotationCount = 0
  /// Rotations that came true before the next one took the widget away again.
  public private(set) var seenCount = 0
  /// What came of each of ``methods``.
  public private(set) var choices: [Method: Choice] = [:]

  /// Nobody's.
  public init() {}

  /// One person's: `fronts` are in the order of time, the first being what was in front when the replay began.
  public init(_ plan: ReplayPlan, fronts: [Front]) {
    precondition(!fronts.isEmpty, "a stack that had nothing in front")
    personCount = 1
    activeDayCount = plan.activeDayCount
    useCount = plan.uses.count
    let members = Set(plan.items)
    let uses = plan.uses.filter { members.contains($0.item) }
    memberUseCount = uses.count
    rotationCount = fronts.count - 1
    for (index, front) in fronts.enumerated().dropFirst() {
      let next = index + 1 < fronts.count ? fronts[index + 1].at : .max
      if Self.comesTrue(front.item, after: front.at, upTo: next, uses) { seenCount += 1 }
    }
    let slots = fronts.dropFirst().map(\.at)
    choices[.marquee] = Self.choice(fronts, slots, uses)
    choices[.mostFrequent] = Self.choice([Front(at: .min, item: plan.items[0])], slots, uses)
    choices[.mostRecent] = Self.choice(Self.mostRecent(plan, members, uses), slots, uses)
  }

  /// Adds other people's.
  public static func += (scores: inout ReplayScores, others: ReplayScores) {
    scores.personCount += others.personCount
    scores.activeDayCount += others.activeDayCount
    scores.useCount += others.useCount
    scores.memberUseCount += others.memberUseCount
    scores.rotationCount += others.rotationCount
    scores.seenCount += others.seenCount
    for (method, choice) in others.choices {
      scores.choices[method, default: Choice()].changeCount += choice.changeCount
      scores.choices[method, default: Choice()].trueCount += choice.trueCount
      scores.choices[method, default: Choice()].hitCount += choice.hitCount
    }
  }

  // MARK: Shares

  /// The share of rotations that came true before the next one; `nil` without any.
  public var seenShare: Double? { Self.share(seenCount, rotationCount) }

  /// The share of the instants at which the stack rotated where the method's front came true; `nil` without any.
  public func precision(_ method: Method) -> Double? {
    choices[method].flatMap { Self.share($0.trueCount, rotationCount) }
  }

  /// The share of the uses of the stack's items that found their widget in front; `nil` without any.
  public func hitRate(_ method: Method) -> Double? {
    choices[method].flatMap { Self.share($0.hitCount, memberUseCount) }
  }

  /// Changes of the front for each day with any use.
  public func changesPerDay(_ method: Method) -> Double? {
    choices[method].flatMap { Self.share($0.changeCount, activeDayCount) }
  }

  private static func share(_ part: Int, _ whole: Int) -> Double? { whole == 0 ? nil : Double(part) / Double(whole) }

  // MARK: Counting

  /// What would have come of these fronts.
  private static func choice(_ fronts: [Front], _ slots: [Int64], _ uses: [ReplayPlan.Use]) -> Choice {
    var choice = Choice()
    choice.changeCount = fronts.count - 1
    choice.trueCount = slots.count { slot in
      guard let front = fronts.last(where: { $0.at <= slot }) else { return false }
      return comesTrue(front.item, after: slot, upTo: .max, uses)
    }
    choice.hitCount = uses.count { use in
      // At the instant of a use, what was in front is what came before it.
      fronts.last { $0.at < use.at }?.item == use.item
    }
    return choice
  }

  /// Whether the item is used within the window after `start` and not after `end`.
  private static func comesTrue(
    _ item: Int, after start: Int64, upTo end: Int64, _ uses: [ReplayPlan.Use]
  ) -> Bool {
    let last = min(end, start + Int64(windowSeconds) * 1_000)
    return uses.contains { $0.item == item && $0.at > start && $0.at <= last }
  }

  /// The fronts of a stack that always has in front what was used last.
  private static func mostRecent(
    _ plan: ReplayPlan, _ members: Set<Int>, _ uses: [ReplayPlan.Use]
  ) -> [Front] {
    var fronts = [Front(at: .min, item: plan.history.last { members.contains($0.item) }?.item ?? plan.items[0])]
    for use in uses where fronts.last?.item != use.item { fronts.append(Front(at: use.at, item: use.item)) }
    return fronts
  }
}
