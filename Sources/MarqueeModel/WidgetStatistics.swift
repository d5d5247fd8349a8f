/// How often and for how long widgets were shown, and how the user reacted to them (rule R17).
public struct WidgetStatistics: Hashable, Sendable {
  /// When the first of these was counted; `nil` if nothing was.
  public let since: Instant?
  /// The number of times that the widget came to the front of a visible stack, or that the stack of which it is the
  /// front became visible. Spans without a duration are not counted.
  public let shownCount: Int
  /// How long the widget was at the front of at least one visible stack.
  public let frontTime: TimeSpan
  /// The number of times that Smart Rotate rotated a stack to the widget.
  public let rotationCount: Int
  /// The number of times that the user tapped the widget on a stack.
  public let tapCount: Int
  /// The number of times that the user scrolled from the widget, at the front, to another one.
  public let scrollAwayCount: Int
  /// The number of times that the widget was suggested.
  public let suggestionCount: Int
  /// The number of suggestions of the widget that the user added to the stack.
  public let keptCount: Int
  /// The number of suggestions of the widget that the user dismissed, blocked or snoozed while they were shown.
  public let dismissalCount: Int
  /// The probability that the user accepts the widget when the engine brings it to the front (rule R11).
  public let worth: Double

  /// Creates statistics.
  public init(
    since: Instant?, shownCount: Int, frontTime: TimeSpan, rotationCount: Int, tapCount: Int, scrollAwayCount: Int,
    suggestionCount: Int, keptCount: Int, dismissalCount: Int, worth: Double
  ) {
    self.since = since
    self.shownCount = shownCount
    self.frontTime = frontTime
    self.rotationCount = rotationCount
    self.tapCount = tapCount
    self.scrollAwayCount = scrollAwayCount
    self.suggestionCount = suggestionCount
    self.keptCount = keptCount
    self.dismissalCount = dismissalCount
    self.worth = worth
  }
}

/// The statistics of an instance of a widget.
public struct InstanceStatistics: Hashable, Sendable {
  /// The widget.
  public let widget: Widget
  /// The family of the instance.
  public let family: WidgetFamily
  /// The statistics of the instance.
  public let statistics: WidgetStatistics
  /// The representation of the widget for the user (rule X1), if it was rendered.
  public var display: ActionDisplay?

  /// Creates the statistics of an instance.
  public init(widget: Widget, family: WidgetFamily, statistics: WidgetStatistics, display: ActionDisplay? = nil) {
    self.widget = widget
    self.family = family
    self.statistics = statistics
    self.display = display
  }
}

/// The statistics of an app's widgets.
public struct AppStatistics: Hashable, Sendable {
  /// The app.
  public let app: AppID
  /// The sums over the app's instances, and the worth that follows from the reactions to all of them.
  public let total: WidgetStatistics
  /// The statistics of instances of the app's widgets.
  public var instances: [InstanceStatistics]

  /// Creates the statistics of an app.
  public init(app: AppID, total: WidgetStatistics, instances: [InstanceStatistics] = []) {
    self.app = app
    self.total = total
    self.instances = instances
  }
}
