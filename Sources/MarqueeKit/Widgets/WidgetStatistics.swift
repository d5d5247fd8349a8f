public import Foundation
import MarqueeClient
import MarqueeModel

/// How often and for how long widgets were shown, and how the user reacted to them.
public struct WidgetStatistics: Hashable, Sendable {
  /// When the first of these was counted; `nil` if nothing was.
  public let since: Date?
  /// The number of times that the widget was shown at the front of a stack.
  public let shownCount: Int
  /// How long the widget was shown at the front of a stack, in seconds.
  public let frontTime: TimeInterval
  /// The number of times that Smart Rotate rotated a stack to the widget.
  public let rotationCount: Int
  /// The number of times that the user tapped the widget on a stack.
  public let tapCount: Int
  /// The number of times that the user scrolled from the widget to another one.
  public let scrollAwayCount: Int
  /// The number of times that the widget was suggested.
  public let suggestionCount: Int
  /// The number of suggestions that the user added to the stack.
  public let keptCount: Int
  /// The number of suggestions that the user dismissed.
  public let dismissalCount: Int
  /// The probability, from 0 to 1, that the user accepts the widget when Marquee brings it to the front.
  public let worth: Double

  init(_ statistics: MarqueeModel.WidgetStatistics) {
    since = statistics.since.map { Date($0) }
    shownCount = statistics.shownCount
    frontTime = statistics.frontTime.seconds
    rotationCount = statistics.rotationCount
    tapCount = statistics.tapCount
    scrollAwayCount = statistics.scrollAwayCount
    suggestionCount = statistics.suggestionCount
    keptCount = statistics.keptCount
    dismissalCount = statistics.dismissalCount
    worth = statistics.worth
  }
}

/// The statistics of an app's widgets on the device.
public struct AppWidgetStatistics: Hashable, Sendable {
  /// The sums over all widgets, and the worth that follows from the reactions to all of them.
  public let total: WidgetStatistics
  /// The statistics of the widgets of which anything was counted, including widgets that are not placed any more while
  /// the device has content for them.
  public let widgets: [WidgetInfo: WidgetStatistics]
}

extension WidgetCenter {
  /// Returns how often and for how long the app's widgets were shown on the device, and how the user reacted to them.
  ///
  /// The counts of a widget end when the device no longer has it: those of a widget that is only suggested and has no
  /// timeline, with the suggestion. Widgets outside stacks are not counted. WidgetKit has no such method.
  public func statistics() async throws -> AppWidgetStatistics {
    let connection = try AppConnection.current
    return try await connection.inOrder { provider in AppWidgetStatistics(try await provider.statistics()) }.value
  }
}

extension AppWidgetStatistics {
  fileprivate init(_ statistics: AppStatistics) {
    let widgets = statistics.instances.map { instance in
      let info = WidgetInfo(PlacedWidget(widget: instance.widget, family: instance.family))
      return (info, WidgetStatistics(instance.statistics))
    }
    // The server lists each instance once. One that moved between two pages of the list has its later counts.
    self.init(
      total: WidgetStatistics(statistics.total), widgets: Dictionary(widgets, uniquingKeysWith: { $1 }))
  }
}
