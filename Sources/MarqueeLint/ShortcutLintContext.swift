import MarqueeModel

/// What is known of a device when an app sets its relevant shortcuts or intents: what the findings that depend on it
/// look at.
public struct ShortcutLintContext: Hashable, Sendable {
  /// When the set is sent.
  public var now: Instant
  /// How long a point in time counts as a window (rule S3).
  public var pointLength: TimeSpan
  /// The families of each kind that the app has registered; `nil` where registrations are not known.
  public var families: [KindName: [WidgetFamily]]?
  /// The families of the device's stacks; `nil` where stacks are not known.
  public var stackFamilies: Set<WidgetFamily>?

  /// A context; where nothing else is known, neither kinds nor stacks are looked at.
  public init(
    now: Instant, pointLength: TimeSpan = .minutes(30), families: [KindName: [WidgetFamily]]? = nil,
    stackFamilies: Set<WidgetFamily>? = nil
  ) {
    self.now = now
    self.pointLength = pointLength
    self.families = families
    self.stackFamilies = stackFamilies
  }
}
