import MarqueeModel

/// One device's donations as habits: which intents are likely, in which of their supported combinations (rules D2, P3).
///
/// A donation counts once for every combination whose parameters it has all set; two donations are the same habit under
/// a combination when the values of exactly those parameters are equal. Like its ``Predictor`` the book is a value of
/// the donations learned, in their order: to forget some, start anew with the others.
public struct HabitBook: Sendable, Equatable {
  /// What can be predicted: an app's intent type with the values of one supported combination.
  public struct Action: Hashable, Sendable {
    public let app: AppID
    public let type: IntentType
    /// The combination's parameters, in the order of their names.
    public let parameters: [IntentParameter]

    /// Whether it says the same as `other` and more.
    public func isMoreSpecific(than other: Action) -> Bool {
      app == other.app && type == other.type && parameters.count > other.parameters.count
        && other.parameters.allSatisfy(parameters.contains)
    }
  }

  /// An action and the probability that it is done within half an hour.
  public struct Suggestion: Sendable, Equatable {
    public let action: Action
    public let probability: Double
  }

  /// A more specific action wins unless its probability is below this share of the less specific one's.
  public static let specificShareMin = 0.5

  private struct TypeKey: Hashable, Sendable {
    let app: AppID
    let type: IntentType
  }

  /// What the donations taught; its actions are numbered as they first came.
  public private(set) var predictor = Predictor()
  private var types: [TypeKey: IntentTypeDescriptor] = [:]
  private var actions: [Action] = []
  private var numbers: [Action: ActionID] = [:]
  private var groups: [AppID: Int] = [:]

  /// A book without donations.
  public init() {}

  /// Tells what an app says of one of its intent types. Donations learned before stay as they were counted.
  public mutating func describe(_ descriptor: IntentTypeDescriptor) {
    types[TypeKey(app: descriptor.app, type: descriptor.type)] = descriptor
  }

  /// Learns a donation, and returns the actions that it counted for, the most specific first.
  ///
  /// None when the type was not described, is not eligible for suggestions (rule D3), no combination is satisfied, or
  /// the device has as many actions as it may.
  @discardableResult
  public mutating func learn(_ intent: Intent, of app: AppID, at moment: Moment) -> [Action] {
    let satisfied = satisfied(by: intent, of: app)
    let known = satisfied.compactMap { number(of: $0) }
    guard let first = known.first else { return [] }
    let group = groups[app] ?? groups.count
    groups[app] = group
    predictor.learn(first, alsoCounting: Array(known.dropFirst()), group: group, at: moment)
    return known.map { actions[$0.number] }
  }

  /// The actions that are likely at `moment`, the most probable first.
  ///
  /// Of actions of which one says more than the other only one is left (rule P3): the more specific, unless it is less
  /// than half as probable. Of two alike, one that can run in the background comes first, then the one known longer.
  public func suggestions(
    _ basis: Predictor.Basis, at moment: Moment, atLeast probability: Double, count: Int
  ) -> [Suggestion] {
    let forecast = predictor.soon(basis, at: moment)
    // What is less likely than this can take no place, not even as the more specific.
    let floor = probability * Self.specificShareMin
    let all = actions.indices.map {
      Suggestion(action: actions[$0], probability: forecast.probability(of: ActionID($0)))
    }.filter { $0.probability >= floor }
    let winners = all.indices.filter { index in
      all[index].probability >= probability && !all.contains { Self.outranks($0, all[index]) }
    }
    let sorted = winners.sorted { one, other in
      let (first, second) = (all[one], all[other])
      if first.probability != second.probability { return first.probability > second.probability }
      let (isFirst, isSecond) = (runsInBackground(first.action), runsInBackground(second.action))
      return isFirst != isSecond ? isFirst : one < other
    }
    return sorted.prefix(count).map { all[$0] }
  }

  /// What speaks for an action at `moment`; nil if it was never learned.
  public func evidence(for action: Action, at moment: Moment) -> HabitEvidence? {
    numbers[action].map { predictor.evidence(for: $0, at: moment) }
  }

  /// The first step after `moment` at which the action's probability from time alone exceeds `threshold`.
  public func nextCrossing(
    of action: Action, above threshold: Double, after moment: Moment, within horizon: Int
  ) -> Moment? {
    numbers[action].flatMap { predictor.nextCrossing(of: $0, above: threshold, after: moment, within: horizon) }
  }

  /// Whether `one` takes the place of `other`, which says more or less of the same.
  private static func outranks(_ one: Suggestion, _ other: Suggestion) -> Bool {
    if one.action.isMoreSpecific(than: other.action) {
      return one.probability >= specificShareMin * other.probability
    }
    return other.action.isMoreSpecific(than: one.action) && other.probability < specificShareMin * one.probability
  }

  private func runsInBackground(_ action: Action) -> Bool {
    let names = action.parameters.map(\.name)
    let combinations = types[TypeKey(app: action.app, type: action.type)]?.combinations ?? []
    return combinations.contains { $0.parameters == names && $0.isBackground }
  }

  /// The most specific first; of combinations of like size, in the order in which the type gives them.
  private func satisfied(by intent: Intent, of app: AppID) -> [Action] {
    guard let type = types[TypeKey(app: app, type: intent.type)], type.isEligibleForSuggestions else { return [] }
    let names = Set(intent.parameters.map(\.name))
    let combinations = type.combinations.enumerated().filter { names.isSuperset(of: $0.element.parameters) }
    let sorted = combinations.sorted {
      ($1.element.parameters.count, $0.offset) < ($0.element.parameters.count, $1.offset)
    }
    return sorted.map { combination in
      let parameters = intent.parameters.filter { combination.element.parameters.contains($0.name) }
      return Action(app: app, type: intent.type, parameters: parameters)
    }
  }

  private mutating func number(of action: Action) -> ActionID? {
    if let number = numbers[action] { return number }
    guard actions.count < ActionID.countMax else { return nil }
    let number = ActionID(actions.count)
    actions.append(action)
    numbers[action] = number
    return number
  }
}
