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
  /// What each content counts for.
  private(set) var entries: [[Entry]] = []

  init() {}

  /// The actions in the order in which they first appear.
  var actions: [DonatedAction] { table.values }

  /// Takes in the next content.
  mutating func append(_ deed: Donation.Deed, of app: AppID, _ types: [IntentTypeDescriptor]) {
    switch deed {
    case .intent(let intent):
      let descriptor = types.first { $0.type == intent.type }
      entries.append(
        (descriptor?.actions(of: intent) ?? []).map {
          Entry(action: table.intern($0.action).index, isBackground: $0.combination.isBackground)
        })
    case .userActivity(let activity):
      entries.append(
        activity.action(of: app).map { [Entry(action: table.intern($0).index, isBackground: false)] } ?? [])
    }
  }

  /// What a content counts for.
  func satisfied(by content: UInt32) -> [DonationReading.Satisfied] {
    entries[Int(content)].map {
      .init(actionIndex: Int($0.action), action: actions[Int($0.action)], isBackground: $0.isBackground)
    }
  }
}
