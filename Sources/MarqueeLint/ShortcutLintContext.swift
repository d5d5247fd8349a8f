import MarqueeModel

/// The state of a device when an app sets its relevant shortcuts or intents, as far as findings depend on it.
public struct ShortcutLintContext: Hashable, Sendable {
  /// The instant at which the set is sent.
  public var now: Instant
  /// The window length of a point in time.
  public var pointLength: TimeSpan
  /// The families of each registered kind, or `nil` if registrations are unknown.
  public var families: [KindName: [WidgetFamily]]?
  /// The families of the device's stacks, or `nil` if the stacks are unknown.
  public var stackFamilies: Set<WidgetFamily>?

  /// Creates a context. By default, findings about kinds and stacks are disabled.
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
