public import Foundation
import MarqueeModel

/// The part of an app that comes to the foreground: it continues the suggestions and widgets that the user taps.
///
/// On Apple's systems the handlers are modifiers of a scene's views; here a bundle lists them:
///
/// ```swift
/// struct TransitWidgets: WidgetBundle {
///   static var scene: AppScene {
///     AppScene()
///       .onContinueUserActivity("com.example.transit.line") { activity in
///         navigation.show(line: activity.userInfo?["line"] as? String)
///       }
///       .onOpenURL { url in navigation.open(url) }
///   }
///   var body: some Widget { Departures() }
/// }
/// ```
///
/// The display's call completes when a handler returns, so a handler only accepts the activity, as in SwiftUI: it
/// starts longer work in a task of its own. An error that it throws is the response to the display.
public struct AppScene: Sendable {
  private var continuing: [String: @Sendable (NSUserActivity) throws -> Void] = [:]
  /// The handler of links, if there is one.
  private(set) var opening: (@Sendable (URL) throws -> Void)?

  /// Creates a scene without handlers.
  public init() {}

  /// Adds a handler of user activities of a type, replacing an earlier one.
  ///
  /// The activity is one of:
  ///
  /// - a user activity that the app donated, or set in a relevant shortcut, with its ``NSUserActivity/userInfo``;
  /// - an intent, whose type is the activity's: its parameters are in `userInfo`, and ``NSUserActivity/interaction``
  ///   contains an ``INIntent``;
  /// - an errand of a reservation, ``NSUserActivity/reservationErrand``, or a person to share with,
  ///   ``NSUserActivity/person``, with the latest donated intent about it, whose type is the activity's. The intent
  ///   describes a past action, which the app must not repeat;
  /// - a tapped widget, or a relevant shortcut's: the activity's type is that of the intent that configures the widget,
  ///   or the name of its kind. See ``WidgetCenter/UserInfoKey`` and ``NSUserActivity/widgetConfigurationIntent(of:)``.
  ///
  /// The display can repeat its call, so a handler may receive an activity more than once.
  public func onContinueUserActivity(
    _ activityType: String, perform action: @escaping @Sendable (NSUserActivity) throws -> Void
  ) -> AppScene {
    var scene = self
    scene.continuing[activityType] = action
    return scene
  }

  /// Sets the handler of the links of tapped widgets.
  ///
  /// A tap with a link calls only this handler. Without it, the activity of the tapped widget contains the link as its
  /// ``NSUserActivity/webpageURL``.
  public func onOpenURL(perform action: @escaping @Sendable (URL) throws -> Void) -> AppScene {
    var scene = self
    scene.opening = action
    return scene
  }

  /// Returns the handler of activities of a type, if there is one.
  func handler(of activityType: String) -> (@Sendable (NSUserActivity) throws -> Void)? { continuing[activityType] }
}
