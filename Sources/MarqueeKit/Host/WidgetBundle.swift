/// All widgets of an app. Marked with `@main`, it is a process that provides them:
///
/// ```swift
/// @main
/// struct CardsWidgets: WidgetBundle {
///   var body: some Widget {
///     RecentPurchases()
///     Balance()
///   }
/// }
/// ```
public protocol WidgetBundle {
  /// What ``body`` is.
  associatedtype Body: Widget

  /// The bundle.
  init()

  /// The widgets, at least one.
  @WidgetBundleBuilder var body: Body { get }

  /// The intents that displays may have performed; none if not given. On the platform they are found by themselves.
  static var appIntents: [any AppIntent.Type] { get }

  /// What handles the app's other intents, each of another type; nothing if not given.
  static var intentHandlers: [any INIntentHandling] { get }
}

extension WidgetBundle {
  /// Provides the widgets for the app and on the device and server that the environment names (``AppConnection``),
  /// until SIGTERM or SIGINT comes. What goes wrong is said on standard error; what no waiting can mend ends the
  /// process with the code 1.
  public static func main() async { await WidgetHost.main(Self().body.hostedKinds, appIntents, intentHandlers) }

  public static var appIntents: [any AppIntent.Type] { [] }
  public static var intentHandlers: [any INIntentHandling] { [] }
}

/// Several widgets.
public struct WidgetGroup: Widget {
  public let hostedKinds: [HostedKind]

  /// No widgets.
  public init() { hostedKinds = [] }

  init(_ kinds: [HostedKind]) { hostedKinds = kinds }

  /// There is none: a group has several.
  public var body: Never { preconditionFailure("a group of widgets has no kind of its own") }
}

/// Puts widgets together.
@resultBuilder
public enum WidgetBundleBuilder {
  public static func buildBlock<each Member: Widget>(_ members: repeat each Member) -> WidgetGroup {
    var kinds: [HostedKind] = []
    for member in repeat each members { kinds += member.hostedKinds }
    return WidgetGroup(kinds)
  }

  public static func buildOptional(_ group: WidgetGroup?) -> WidgetGroup { group ?? WidgetGroup() }
  public static func buildEither(first group: WidgetGroup) -> WidgetGroup { group }
  public static func buildEither(second group: WidgetGroup) -> WidgetGroup { group }
}
