public import MarqueeModel

/// A request to publish a widget's timeline.
public struct PublishTimelineRequest: Hashable, Sendable {
  /// The device.
  public let device: DeviceID
  /// The app.
  public let app: AppID
  /// The widget, of a kind of ``app``.
  public let widget: Widget
  /// The family that the content is made for; `nil` for every family of the kind (rule W1).
  public let family: WidgetFamily?
  /// The reload policy; `nil` for a reload at the timeline's end.
  public let policy: TimelineReloadPolicy?
  /// The entries, in any order; duplicate dates are allowed (rule T2).
  public let entries: [TimelineEntry]
  /// The content that replaces that of an expired entry; `nil` if there is none (rule W4).
  public let fallback: EntryContent?
  /// The group that the widget is in while it has the timeline; `nil` for none (rule R15).
  public let group: GroupName?

  /// Creates a request.
  ///
  /// - Throws: ``RequestError`` if the widget belongs to another app.
  public init(
    device: DeviceID, app: AppID, widget: Widget, family: WidgetFamily? = nil, policy: TimelineReloadPolicy? = nil,
    entries: [TimelineEntry], fallback: EntryContent? = nil, group: GroupName? = nil
  ) throws(RequestError) {
    guard widget.kind.app == app else {
      throw RequestError(.invalidArgument, field: "widget.kind.app", "must be the app of the request")
    }
    self.device = device
    self.app = app
    self.widget = widget
    self.family = family
    self.policy = policy
    self.entries = entries
    self.fallback = fallback
    self.group = group
  }
}
