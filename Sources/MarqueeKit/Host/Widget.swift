/// A widget kind of an app:
///
/// ```swift
/// struct RecentPurchases: Widget {
///   var body: some WidgetConfiguration {
///     StaticConfiguration(kind: "RecentPurchases", provider: Purchases()) { entry in "\(entry.amount)" }
///       .supportedFamilies([.systemSmall])
///   }
/// }
/// ```
public protocol Widget {
  /// The type of ``body``.
  associatedtype Body: WidgetConfiguration

  /// Creates the widget.
  init()

  /// The configuration: kind, timeline provider and content.
  var body: Body { get }

  /// The kinds that a host provides. Defaults to the kind of ``body``.
  var hostedKinds: [HostedKind] { get }

  /// The intents that displays can perform. Defaults to none.
  ///
  /// Apple's systems discover them; here they are listed.
  static var appIntents: [any AppIntent.Type] { get }

  /// The handlers of the app's `INIntent` subclasses, at most one per type. Defaults to none.
  static var intentHandlers: [any INIntentHandling] { get }
}

extension Widget {
  public var hostedKinds: [HostedKind] { [body.hostedKind] }

  /// Runs the process that provides this widget, like ``WidgetBundle/main()``.
  public static func main() async { await WidgetHost.main(Self().hostedKinds, appIntents, intentHandlers) }

  public static var appIntents: [any AppIntent.Type] { [] }
  public static var intentHandlers: [any INIntentHandling] { [] }
}
