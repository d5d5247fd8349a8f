/// A stored donation, as shown to developers. Its identifier is stored only as a hash, so it is not included.
public struct DonationStatus: Hashable, Sendable {
  /// A supported parameter combination that the donation satisfies, or the required keys of a user activity (rules D2,
  /// D4).
  public struct Satisfied: Hashable, Sendable {
    /// The index of the action among the device's actions, counted from 0 in order of first appearance.
    public let actionIndex: Int
    /// The action that the donation represents; its parameters are those of the combination.
    public let action: DonatedAction
    /// Whether the action can run in the background.
    public let isBackground: Bool

    /// Creates a satisfied combination.
    public init(actionIndex: Int, action: DonatedAction, isBackground: Bool) {
      self.actionIndex = actionIndex
      self.action = action
      self.isBackground = isBackground
    }
  }

  /// The app that donated.
  public let app: AppID
  /// The donation's identifier in its app; `nil` if an earlier release stored only its hash.
  public let id: Donation.ID?
  /// The donation's group, if any.
  public let group: Donation.Group?
  /// When the user did it.
  public let date: Instant
  /// The wall-clock time on the device then.
  public let wallTime: WallTime
  /// The activity.
  public let activity: Donation.Activity
  /// The user's context then, as far as the device stores it.
  public let context: DeviceContext
  /// The combinations that it satisfies, according to the currently registered types; empty if the donation does not
  /// affect predictions.
  public let satisfied: [Satisfied]
  /// The representation for the user (rules X1, X2).
  public let display: ActionDisplay

  /// Creates a status. Without a representation, it is that of the activity without the texts of its type.
  public init(
    app: AppID, id: Donation.ID?, group: Donation.Group?, date: Instant, wallTime: WallTime,
    activity: Donation.Activity,
    context: DeviceContext, satisfied: [Satisfied], display: ActionDisplay? = nil
  ) {
    self.app = app
    self.id = id
    self.group = group
    self.date = date
    self.wallTime = wallTime
    self.activity = activity
    self.context = context
    self.satisfied = satisfied
    self.display = display ?? ActionDisplay(of: activity)
  }
}
