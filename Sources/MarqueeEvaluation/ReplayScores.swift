/// The outcomes of the rotations of replayed stacks, and the share of uses that found their widget in front, over any
/// number of people.
public struct ReplayScores: Sendable, Equatable {
  /// A change of the front, or the initial front.
  public struct Front: Sendable, Equatable {
    /// The time in the unit of ``ReplayPlan/Use/at``. A change at the instant of a use follows it.
    public let at: Int64
    /// The number of the widget's item.
    public let item: Int

    public init(at: Int64, item: Int) {
      self.at = at
      self.item = item
    }
  }

  /// The scores of one method of choosing the front.
  public struct Choice: Sendable, Equatable {
    /// The number of changes of the front.
    public internal(set) var changeCount = 0
    /// The number of rotation instants at which the method's front was used within ``windowSeconds``.
    public internal(set) var trueCount = 0
    /// The number of uses of the stack's items that found their widget in front.
    public internal(set) var hitCount = 0

    public init(changeCount: Int = 0, trueCount: Int = 0, hitCount: Int = 0) {
      (self.changeCount, self.trueCount, self.hitCount) = (changeCount, trueCount, hitCount)
    }
  }

  /// The time within which a use makes a rotation true; equal to the horizon of predictions.
  public static let windowSeconds = 1_800
  /// The compared methods of choosing the front.
  public static let methods: [Method] = [.marquee, .free, .mostFrequent, .mostRecent]

  /// The number of people replayed.
  public private(set) var personCount = 0
  /// The number of days with any use.
  public private(set) var activeDayCount = 0
  /// The number of uses replayed.
  public private(set) var useCount = 0
  /// The number of uses of items in the stack.
  public private(set) var memberUseCount = 0
  /// The number of automatic rotations.
  public private(set) var rotationCount = 0
  /// The number of rotations that came true before the next rotation.
  public private(set) var seenCount = 0
  /// The scores of each of ``methods``.
  public private(set) var choices: [Method: Choice] = [:]

  /// Creates empty scores.
  public init() {}

  /// Creates the scores of one person.
  ///
  /// - Parameter fronts: The fronts in chronological order, starting with the initial one.
  public init(_ plan: ReplayPlan, fronts: [Front]) {
    precondition(!fronts.isEmpty, "the stack has no front")
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
    choices[.free] = Self.choice(FreeRotation(plan).fronts, slots, uses)
    choices[.mostFrequent] = Self.choice([Front(at: .min, item: plan.items[0])], slots, uses)
    choices[.mostRecent] = Self.choice(Self.mostRecent(plan, members, uses), slots, uses)
  }

  /// Adds the scores of other people.
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

  /// The share of rotations that came true before the next one, or `nil` without rotations.
  public var seenShare: Double? { Self.share(seenCount, rotationCount) }

  /// Returns the share of rotation instants at which the method's front came true, or `nil` without rotations.
  public func precision(_ method: Method) -> Double? {
    choices[method].flatMap { Self.share($0.trueCount, rotationCount) }
  }

  /// Returns the share of uses of the stack's items that found their widget in front, or `nil` without such uses.
  public func hitRate(_ method: Method) -> Double? {
    choices[method].flatMap { Self.share($0.hitCount, memberUseCount) }
  }

  /// Returns the number of changes of the front per day with any use.
  public func changesPerDay(_ method: Method) -> Double? {
    choices[method].flatMap { Self.share($0.changeCount, activeDayCount) }
  }

  private static func share(_ part: Int, _ whole: Int) -> Double? { whole == 0 ? nil : Double(part) / Double(whole) }

  // MARK: Counting

  /// Returns the scores of a sequence of fronts.
  private static func choice(_ fronts: [Front], _ slots: [Int64], _ uses: [ReplayPlan.Use]) -> Choice {
    var choice = Choice()
    choice.changeCount = fronts.count - 1
    choice.trueCount = slots.count { slot in
      guard let front = fronts.last(where: { $0.at <= slot }) else { return false }
      return comesTrue(front.item, after: slot, upTo: .max, uses)
    }
    choice.hitCount = uses.count { use in
      // At the instant of a use, the front is the one set before it.
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

  /// Returns the fronts of a stack that always shows the most recently used item.
  private static func mostRecent(
    _ plan: ReplayPlan, _ members: Set<Int>, _ uses: [ReplayPlan.Use]
  ) -> [Front] {
    var fronts = [Front(at: .min, item: plan.history.last { members.contains($0.item) }?.item ?? plan.items[0])]
    for use in uses where fronts.last?.item != use.item { fronts.append(Front(at: use.at, item: use.item)) }
    return fronts
  }
}
