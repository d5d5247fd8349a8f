import MarqueeModel

/// Which actions each content of the log counts for. It follows from the contents in their order and from the types
/// that apps have registered, so it is never stored.
struct ActionTable: Sendable {
  /// An action by its index.
  struct Entry: Equatable, Sendable {
    let action: UInt32
    let isBackground: Bool
  }

  /// An intent type of an app.
  private struct TypeKey: Hashable {
    let app: AppID
    let type: IntentType
  }

  private var table = InternTable<DonatedAction>()
  /// The combinations of each donated type that some content satisfies, by their indices in the type.
  private var satisfied: [TypeKey: Set<Int>] = [:]
  /// Whether each action can run in the background.
  private(set) var isBackground: [Bool] = []
  /// What each content counts for.
  private(set) var entries: [[Entry]] = []

  init() {}

  /// The actions in the order in which they first appear.
  var actions: [DonatedAction] { table.values }

  /// The index of an action that a content counts for.
  func index(of action: DonatedAction) -> UInt32? { table.index(of: action) }

  /// Takes in the next content.
  mutating func append(_ deed: Donation.Deed, of app: AppID, _ types: [IntentTypeDescriptor]) {
    switch deed {
    case .intent(let intent), .reservations(let intent, _):
      let descriptor = types.first { $0.type == intent.type }
      let actions = descriptor?.actions(of: intent) ?? []
      entries.append(
        actions.map { entry($0.action, isBackground: $0.combination.isBackground) })
      let indices = actions.compactMap { descriptor?.combinations.firstIndex(of: $0.combination) }
      satisfied[TypeKey(app: app, type: intent.type), default: []].formUnion(indices)
    case .userActivity(let activity):
      entries.append(
        activity.action(of: app).map { [entry($0, isBackground: false)] } ?? [])
    }
  }

  /// The combinations of a registered type that no content satisfies; none for a type of which there is no content.
  func unsatisfied(of type: IntentTypeDescriptor) -> [IntentTypeDescriptor.Combination] {
    guard let indices = satisfied[TypeKey(app: type.app, type: type.type)] else { return [] }
    return type.combinations.indices.filter { !indices.contains($0) }.map { type.combinations[$0] }
  }

  private mutating func entry(_ action: DonatedAction, isBackground: Bool) -> Entry {
    let (index, isNew) = table.intern(action)
    if isNew { self.isBackground.append(isBackground) }
    return Entry(action: index, isBackground: isBackground)
  }

  /// What a content counts for.
  func satisfied(by content: UInt32) -> [DonationReading.Satisfied] {
    entries[Int(content)].map {
      .init(actionIndex: Int($0.action), action: actions[Int($0.action)], isBackground: $0.isBackground)
    }
  }
}
