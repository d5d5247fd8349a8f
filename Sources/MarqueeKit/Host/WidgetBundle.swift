/// The widgets of an app. Marked with `@main`, it is a provider process:
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
  /// The type of ``body``.
  associatedtype Body: Widget

  /// Creates the bundle.
  init()

  /// The widgets, at least one.
  @WidgetBundleBuilder var body: Body { get }

  /// The intents that displays can perform. Defaults to none.
  ///
  /// Apple's systems discover them; here they are listed.
  static var appIntents: [any AppIntent.Type] { get }

  /// The packages with further intents that displays can perform. Defaults to none.
  static var appIntentsPackages: [any AppIntentsPackage.Type] { get }

  /// The provider of the app's App Shortcuts, whose intents need not be listed. Defaults to none.
  ///
  /// Apple's systems discover it; here it is named.
  static var appShortcutsProvider: (any AppShortcutsProvider.Type)? { get }

  /// The handlers of the app's `INIntent` subclasses, at most one per type. Defaults to none.
  static var intentHandlers: [any INIntentHandling] { get }

  /// The handlers of the suggestions and widgets that the user taps. Defaults to none.
  static var scene: AppScene { get }

  /// The app's texts in its languages. Defaults to none: texts are sent as they are in code.
  static var localizations: Localizations { get throws }
}

extension WidgetBundle {
  /// Provides the widgets until SIGTERM or SIGINT. With the argument `--version`, prints Marquee's version instead.
  ///
  /// The environment names the app, device and server; see ``AppConnection``. Errors are logged to standard error; an
  /// unrecoverable one ends the process with exit code 1.
  public static func main() async {
    await WidgetHost.main(Self().body.hostedKinds, hostedIntents, intentHandlers, hostedShortcuts, scene) {
      try localizations
    }
  }

  public static var appIntents: [any AppIntent.Type] { [] }
  public static var appIntentsPackages: [any AppIntentsPackage.Type] { [] }
  public static var appShortcutsProvider: (any AppShortcutsProvider.Type)? { nil }
  public static var intentHandlers: [any INIntentHandling] { [] }
  public static var scene: AppScene { AppScene() }
  public static var localizations: Localizations { .none }

  /// The intents of the bundle and of its packages, each once.
  static var hostedIntents: [any AppIntent.Type] {
    var packages = appIntentsPackages
    if let own = Self.self as? any AppIntentsPackage.Type { packages.insert(own, at: 0) }
    return appIntents.merging(packages.intents)
  }
  /// The App Shortcuts of the bundle's provider.
  static var hostedShortcuts: [AppShortcut] { appShortcutsProvider?.appShortcuts ?? [] }
}

extension WidgetBundle where Self: AppIntentsPackage {
  // Both protocols have this default; without this one, it would be ambiguous.
  public static var appIntents: [any AppIntent.Type] { [] }
}

/// A group of widgets.
public struct WidgetGroup: Widget {
  public let hostedKinds: [HostedKind]

  /// Creates an empty group.
  public init() { hostedKinds = [] }

  init(_ kinds: [HostedKind]) { hostedKinds = kinds }

  /// Unavailable: a group has several widgets.
  public var body: Never { preconditionFailure("WidgetGroup has no body") }
}

/// A result builder for the widgets of a bundle.
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
