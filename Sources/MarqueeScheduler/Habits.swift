import MarqueeModel
import MarqueePredictor

/// What a device has learned from its donations: a function of the log and of the registered types alone.
///
/// It is never stored. It learns donations as they come; when one is told late, replaced, deleted or forgotten, or when
/// types change, all of the log is learned again, so that nothing is left of what is gone (rule D5).
struct Habits: Equatable, Sendable {
  /// Actions that are learned, at most: the first ones of the log.
  static let actionCountMax = 1_024
  /// Actions of one app that are learned, at most, so that one app cannot keep others' habits out.
  static let appActionCountMax = 256
  /// Places this near each other, in degrees, are one.
  private static let placeSize = 0.002
  /// The last day that the predictor takes; later ones count as it.
  private static let dayMax = 1_000_000

  /// An action that is learned; its index here is its number.
  struct Learned: Equatable, Sendable {
    /// Its index in the log's table of actions.
    let action: UInt32
    /// The index of its sort.
    let sort: Int
  }

  /// An app with an intent type of its, or with a type of activity.
  enum Sort: Hashable, Sendable {
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

  private(set) var predictor = Predictor()
  /// The actions that are learned.
  private(set) var learned: [Learned] = []
  private var sortTable = InternTable<Sort>()
  /// The number of each action of the log's table that was met; `nil` where none is learned.
  private var numbers: [ActionID?] = []
  private var appCounts: [AppID: Int] = [:]
  private var places = InternTable<PlaceCell>()
  /// When the last donation was done from which anything was learned.
  private(set) var lastDate: Instant?

  init() {}

  /// What `log` teaches.
  init(_ log: DonationLog) {
    for record in log.records.all { learn(record, of: log) }
  }

  /// The sorts of the learned actions.
  var sorts: [Sort] { sortTable.values }

  /// The number of an action of the log's table, if it is learned.
  func number(of action: UInt32) -> ActionID? {
    Int(action) < numbers.count ? numbers[Int(action)] : nil
  }

  /// Learns the record that follows all that were learned before.
  ///
  /// Of the actions that it counts for, the most specific, of equals one that runs in the background, is the one that
  /// follows what was done before; the others count as done with it.
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
    let moment = moment(at: record.date, offset: Int(record.offset) * 60, context)
    predictor.learn(
      known[0], alsoCounting: Array(known.dropFirst()), group: learned[known[0].number].sort, at: moment)
  }

  /// The moment at an instant where clocks are `offset` seconds ahead of UTC. A routine event that began later counts
  /// as beginning then.
  func moment(at instant: Instant, offset: Int, _ context: DeviceContext) -> Moment {
    let local = instant.milliseconds / 1_000 + Int64(offset)
    let second = (local % 86_400 + 86_400) % 86_400
    return Moment(
      day: min(Int((local - second) / 86_400), Self.dayMax), second: Int(second),
      place: context.place.flatMap { places.index(of: Self.cell($0)) }.map(Int.init),
      routine: context.routine.map {
        .init(kind: Int($0.situation.rawValue), age: Int($0.at.span(to: instant).milliseconds / 1_000))
      })
  }

  /// Numbers the next action of the table, unless it is not learned.
  private mutating func assign(_ action: DonatedAction) {
    let count = appCounts[action.app, default: 0]
    guard learned.count < Self.actionCountMax, count < Self.appActionCountMax, !action.hasDate else {
      numbers.append(nil)
      return
    }
    appCounts[action.app] = count + 1
    let sort = sortTable.intern(Sort(action)).index
    learned.append(Learned(action: UInt32(numbers.count), sort: Int(sort)))
    numbers.append(ActionID(learned.count - 1))
  }

  /// How many parameters tell the action from others, and of equals whether it runs in the background.
  private func specificity(_ number: ActionID, _ log: DonationLog) -> Int {
    guard case .intent(_, let intent) = log.actions.actions[Int(learned[number.number].action)] else { return 0 }
    let isBackground = log.actions.isBackground[Int(learned[number.number].action)]
    return 2 * intent.parameters.count + (isBackground ? 1 : 0)
  }

  private static func cell(_ place: Place) -> PlaceCell {
    PlaceCell(
      north: Int((place.latitude / placeSize).rounded()), east: Int((place.longitude / placeSize).rounded()))
  }
}

extension DonatedAction {
  /// Whether one of its values is an instant, so that it never comes again.
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
