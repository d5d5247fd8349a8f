/// A remembered donation as its developer sees it: its name is not kept as text, so it is not told.
public struct DonationReading: Hashable, Sendable {
  /// A supported combination that the donation has set, or the required keys of a user activity (rules D2, D4).
  public struct Satisfied: Hashable, Sendable {
    /// Counts the device's actions from 0, in the order in which they first appear among remembered donations.
    public let actionIndex: Int
    /// What the donation counts for by it; its parameters are those of the combination.
    public let action: DonatedAction
    /// Whether the action can run in the background.
    public let isBackground: Bool

    /// A satisfied combination.
    public init(actionIndex: Int, action: DonatedAction, isBackground: Bool) {
      self.actionIndex = actionIndex
      self.action = action
      self.isBackground = isBackground
    }
  }

  /// The app that donated.
  public let app: AppID
  /// The donation's group, if any.
  public let group: Donation.Group?
  /// When it was done.
  public let date: Instant
  /// What the person read on the clock then.
  public let wallTime: WallTime
  /// What was done.
  public let deed: Donation.Deed
  /// What surrounded the person then, as far as the device remembers it.
  public let context: DeviceContext
  /// The combinations that it satisfies, by the types as they are registered now; none when it counts for nothing.
  public let satisfied: [Satisfied]

  /// A reading.
  public init(
    app: AppID, group: Donation.Group?, date: Instant, wallTime: WallTime, deed: Donation.Deed,
    context: DeviceContext, satisfied: [Satisfied]
  ) {
    self.app = app
    self.group = group
    self.date = date
    self.wallTime = wallTime
    self.deed = deed
    self.context = context
    self.satisfied = satisfied
  }
}
