import MarqueeModel

/// Which actions each content of the log counts for. It follows from the contents in their order and from the types
/// that apps have registered, so it is never stored.
struct ActionTable: Sendable {
  /// An action by its index.
  struct Entry: Equatable, Sendable {
    let action: UInt32
    let isBackground: Bool
  }

  private var table = InternTable<DonatedAction>()
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
    case .intent(let intent):
      let descriptor = types.first { $0.type == intent.type }
      entries.append(
        (descriptor?.actions(of: intent) ?? []).map {
          entry($0.action, isBackground: $0.combination.isBackground)
        })
    case .userActivity(let activity):
      entries.append(
        activity.action(of: app).map { [entry($0, isBackground: false)] } ?? [])
    }
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
