/// Widgets of an app, all of one kind:
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
  /// What ``body`` is.
  associatedtype Body: WidgetConfiguration

  /// The widgets.
  init()

  /// The kind, who makes its timelines, and what is shown of them.
  var body: Body { get }

  /// What a host runs; that of ``body`` if not given.
  var hostedKinds: [HostedKind] { get }

  /// The intents that displays may have performed; none if not given. On the platform they are found by themselves.
  static var appIntents: [any AppIntent.Type] { get }

  /// What handles the app's other intents, each of another type; nothing if not given.
  static var intentHandlers: [any INIntentHandling] { get }
}

extension Widget {
  public var hostedKinds: [HostedKind] { [body.hostedKind] }

  /// Runs a process that provides these widgets, as ``WidgetBundle/main()`` does.
  public static func main() async { await WidgetHost.main(Self().hostedKinds, appIntents, intentHandlers) }

  public static var appIntents: [any AppIntent.Type] { [] }
  public static var intentHandlers: [any INIntentHandling] { [] }
}
