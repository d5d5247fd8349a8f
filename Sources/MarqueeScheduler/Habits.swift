import MarqueeModel
import MarqueePredictor

/// The habits learned from a device's donations: a function of the log and the registered types, never stored.
///
/// New donations are learned incrementally. A late, replaced, deleted or trimmed donation that counts as an action, or
/// a change of the types, causes the whole log to be relearned, so that nothing of a removed donation remains (rule
/// D5). Donations that count as no action, such as received interactions (rule D9), do not.
struct Habits: Equatable, Sendable {
  /// The maximum number of learned actions; the first ones of the log are learned.
  static let actionCountMax = 1_024
  /// The maximum number of learned actions per app, so that no app can crowd out the habits of others.
  static let appActionCountMax = 256
  /// The size of the grid cells that places are rounded to, in degrees.
  private static let placeSize = 0.002
  /// A learned action. Its index in ``learned`` is its number in the predictor.
  struct Learned: Equatable, Sendable {
    /// The index in the log's table of actions.
    let action: UInt32
    /// The index in ``actionKinds``.
    let kind: Int
  }

  /// An app's intent type or user activity type.
  enum ActionKind: Hashable, Sendable {
    case intent(AppID, IntentType)
    case userActivity(AppID, UserActivity.ActivityType)

    init(_ action: DonatedAction) {
      switch action {
      case .intent(let app, let intent): self = .intent(app, intent.type)
      case .userActivity(let app, let type, _): self = .userActivity(app, type)
      }
    }

    var app: AppID {
      switch self {
      case .intent(let app, _), .userActivity(let app, _): app
      }
    }
  }

  private struct PlaceCell: Hashable, Sendable {
    let north: Int
    let east: Int
  }

  private(set) var predictor = Predictor(learnsAllForecasts: false)
  /// The learned actions.
  private(set) var learned: [Learned] = []
  private(set) var actionKindTable = InternTable<ActionKind>()
  /// The predictor's number of each action of the log's table seen so far, or `nil` if it is not learned.
  private var numbers: [ActionID?] = []
  private var appCounts: [AppID: Int] = [:]
  private var places = InternTable<PlaceCell>()
  private var focuses = InternTable<FocusID>()
  /// The date of the last donation that was learned.
  private(set) var lastDate: Instant?

  init() {}

  /// Learns all records of `log`.
  init(_ log: DonationLog) {
    for record in log.records.all { learn(record, of: log) }
  }

  /// The kinds of the learned actions.
  var actionKinds: [ActionKind] { actionKindTable.values }

  /// Returns the predictor's number of an action of the log's table, or `nil` if it is not learned.
  func number(of action: UInt32) -> ActionID? {
    Int(action) < numbers.count ? numbers[Int(action)] : nil
  }

  /// Learns the next record of the log.
  ///
  /// If it satisfies several actions, the most specific one (preferably one that runs in the background) is learned as
  /// the successor of the previous action; the others only count as done.
  mutating func learn(_ record: DonationRecord, of log: DonationLog) {
    let satisfied = log.actions.entries[Int(record.content)]
    guard let last = satisfied.map(\.action).max() else { return }
    while numbers.count <= Int(last) { assign(log.actions.actions[numbers.count]) }
    var ranked: [(number: ActionID, specificity: Int)] = []
    for entry in satisfied {
      if let number = number(of: entry.action) { ranked.append((number, specificity(number, log))) }
    }
    guard !ranked.isEmpty else { return }
    ranked.sort { ($0.specificity, $1.number.number) > ($1.specificity, $0.number.number) }
    let known = ranked.map(\.number)
    lastDate = record.date
    let context = log.context(of: record)
    if let place = context.place { _ = places.intern(Self.cell(place)) }
    if let focus = context.focus { _ = focuses.intern(focus) }
    let moment = moment(at: record.date, offset: Int(record.offset) * 60, context)
    predictor.learn(
      known[0], alsoCounting: Array(known.dropFirst()), group: learned[known[0].number].kind, at: moment)
  }

  /// Returns the predictor's moment for an instant with the given UTC offset, in seconds.
  ///
  /// A routine event, an arrival or a Focus change after `instant` is treated as occurring at it. Places and Focuses
  /// without any donation are unknown to the predictor.
  func moment(at instant: Instant, offset: Int, _ context: DeviceContext) -> Moment {
    knownContext(context).moment(at: instant, offset: offset)
  }

  /// Returns a context as far as it is known to the predictor, for the moments of several instants.
  func knownContext(_ context: DeviceContext) -> KnownContext {
    KnownContext(
      place: context.place.flatMap { places.index(of: Self.cell($0)) }.map(Int.init),
      routine: context.routine.map { .init(kind: Int($0.situation.rawValue), start: $0.at) },
      arrival: arrival(context), focus: focusChange(context))
  }

  /// The kind of a departure, and of a Focus that is turned off. Other kinds are indices of places or Focuses plus 1.
  private static let endKind = 0

  private func arrival(_ context: DeviceContext) -> KnownContext.Event? {
    guard let start = context.placeSince else { return nil }
    guard let place = context.place else { return .init(kind: Self.endKind, start: start) }
    return places.index(of: Self.cell(place)).map { .init(kind: Int($0) + 1, start: start) }
  }

  private func focusChange(_ context: DeviceContext) -> KnownContext.Event? {
    guard let start = context.focusSince else { return nil }
    guard let focus = context.focus else { return .init(kind: Self.endKind, start: start) }
    return focuses.index(of: focus).map { .init(kind: Int($0) + 1, start: start) }
  }

  /// Whether two places are equal as far as habits distinguish them.
  static func isSamePlace(_ one: Place?, _ other: Place?) -> Bool { one.map(cell) == other.map(cell) }

  /// Assigns a number to the next action of the table, unless it is not learned.
  private mutating func assign(_ action: DonatedAction) {
    let count = appCounts[action.app, default: 0]
    guard learned.count < Self.actionCountMax, count < Self.appActionCountMax, !action.hasDate else {
      numbers.append(nil)
      return
    }
    appCounts[action.app] = count + 1
    let kind = actionKindTable.intern(ActionKind(action)).index
    learned.append(Learned(action: UInt32(numbers.count), kind: Int(kind)))
    numbers.append(ActionID(learned.count - 1))
  }

  /// Returns the specificity: the number of parameters, then whether the action runs in the background.
  private func specificity(_ number: ActionID, _ log: DonationLog) -> Int {
    guard case .intent(_, let intent) = log.actions.actions[Int(learned[number.number].action)] else { return 0 }
    let isBackground = log.actions.isBackground[Int(learned[number.number].action)]
    return 2 * intent.parameters.count + (isBackground ? 1 : 0)
  }

  private static func cell(_ place: Place) -> PlaceCell {
    PlaceCell(
      north: Int(saturating: (place.latitude / placeSize).rounded()),
      east: Int(saturating: (place.longitude / placeSize).rounded()))
  }
}

extension DonatedAction {
  /// Whether a parameter is a date, so that the action never recurs.
  fileprivate var hasDate: Bool {
    let parameters =
      switch self {
      case .intent(_, let intent): intent.parameters
      case .userActivity(_, _, let values): values
      }
    return parameters.contains { parameter in
      switch parameter.value {
      case .single(.date): true
      case .array(let values): values.contains { if case .date = $0 { true } else { false } }
      case .single: false
      }
    }
  }
}
