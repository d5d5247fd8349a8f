import MarqueeModel
import MarqueeScheduler

/// Checks the consecutive timelines of one widget before any of them is published.
///
/// The timelines are published to a device of its own, on which the widget is the only one. The relevance in force and
/// the score reference are therefore those that a server's device would have. The reload budget is that of a widget
/// that is often in front.
public struct TimelineRehearsal: Sendable {
  private let widget: Widget
  private var device: Device

  /// Creates a rehearsal without publications.
  public init() {
    do {
      let app = try AppID("local.lint")
      let kind = WidgetKind(app: app, name: try KindName("Widget"))
      var policy = Policy.default
      policy.reloadCountMin = policy.reloadCountMax
      widget = Widget(kind: kind)
      device = Device(id: try DeviceID("lint"), timeZone: try TimeZoneID("UTC"), policy: policy, at: .min)
      let descriptor = try WidgetDescriptor(kind: kind, displayName: "", families: [.systemSmall])
      _ = device.handle(.kindsRegistered(app, [descriptor]), at: .min)
    } catch {
      preconditionFailure("a fixed identifier is invalid: \(error)")
    }
  }

  /// Returns the context at `now`, before a publication.
  ///
  /// - Precondition: `now` is not before the last publication.
  public mutating func context(at now: Instant) -> LintContext {
    _ = device.advance(to: now)
    return LintContext(device, publishingFor: widget)
  }

  /// Publishes a timeline at `now` and returns the findings about it.
  ///
  /// - Precondition: `now` is not before the last publication.
  public mutating func publish(_ timeline: SubmittedTimeline, at now: Instant) -> [LintWarning] {
    let context = context(at: now)
    // The rehearsal has one instance of the widget, whatever the family of its timelines.
    _ = device.handle(.timelinePublished(widget, timeline.timeline.made(for: nil)), at: now)
    return TimelineLint.warnings(submitted: timeline, context: context)
  }
}
