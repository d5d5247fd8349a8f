import MarqueeModel

/// The actions that each distinct content of the donation log counts as.
///
/// Derived from the contents, in order, and from the registered intent types; never stored.
struct ActionTable: Sendable {
  /// The index of an action, and whether the action can run in the background.
  struct Entry: Equatable, Sendable {
    let action: UInt32
    let isBackground: Bool
  }

  /// An app's intent type.
  private struct TypeKey: Hashable {
    let app: AppID
    let type: IntentType
  }

  private var table = InternTable<DonatedAction>()
  /// The indices of the combinations of each donated type that at least one content satisfies.
  private var satisfied: [TypeKey: Set<Int>] = [:]
  /// Whether each action can run in the background, by action index.
  private(set) var isBackground: [Bool] = []
  /// The actions that each content counts as, by content index.
  private(set) var entries: [[Entry]] = []

  init() {}

  /// The actions, in order of first appearance.
  var actions: [DonatedAction] { table.values }

  /// Returns the index of `action`, or `nil` if no content counts as it.
  func index(of action: DonatedAction) -> UInt32? { table.index(of: action) }

  /// Appends the next content of the log.
  mutating func append(_ activity: Donation.Activity, of app: AppID, _ types: [IntentTypeDescriptor]) {
    switch activity {
    case .intent(let intent), .reservations(let intent, _):
      let descriptor = types.first { $0.type == intent.type }
      let actions = descriptor?.actions(of: intent) ?? []
      entries.append(
        actions.map { entry($0.action, isBackground: $0.combination.isBackground) })
      let indices = actions.compactMap { descriptor?.combinations.firstIndex(of: $0.combination) }
      satisfied[TypeKey(app: app, type: intent.type), default: []].formUnion(indices)
    // A received interaction is not an action of the user (rule D9).
    case .received: entries.append([])
    case .userActivity(let activity):
      entries.append(
        activity.action(of: app).map { [entry($0, isBackground: false)] } ?? [])
    }
  }

  /// Returns the combinations of a registered type that no content satisfies.
  ///
  /// The result is empty if no content of the type exists.
  func unsatisfied(of type: IntentTypeDescriptor) -> [IntentTypeDescriptor.Combination] {
    guard let indices = satisfied[TypeKey(app: type.app, type: type.type)] else { return [] }
    return type.combinations.indices.filter { !indices.contains($0) }.map { type.combinations[$0] }
  }

  private mutating func entry(_ action: DonatedAction, isBackground: Bool) -> Entry {
    let (index, isNew) = table.intern(action)
    if isNew { self.isBackground.append(isBackground) }
    return Entry(action: index, isBackground: isBackground)
  }

  /// Returns the actions that a content counts as.
  func satisfied(by content: UInt32) -> [DonationStatus.Satisfied] {
    entries[Int(content)].map {
      .init(actionIndex: Int($0.action), action: actions[Int($0.action)], isBackground: $0.isBackground)
    }
  }
}
