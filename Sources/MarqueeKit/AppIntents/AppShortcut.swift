import MarqueeModel

/// An intent that the user can perform by speaking one of its phrases to a display, such as a car's or a kiosk's voice
/// front end.
public struct AppShortcut: Sendable {
  /// The type of the intent.
  let intentType: any AppIntent.Type
  /// The shortcut, converted to the server's model, or the reason why it is invalid.
  fileprivate let descriptor: Result<AppShortcutDescriptor, any Error>

  /// Creates an App Shortcut.
  ///
  /// - Parameters:
  ///   - intent: The intent, with the values of parameters that are the same for all phrases; at most 16 KiB.
  ///   - phrases: The phrases, from 1 to 100.
  ///   - shortTitle: The title that displays show.
  ///   - systemImageName: The name of the image that displays show.
  public init<Intent: AppIntent>(
    intent: Intent, phrases: [AppShortcutPhrase<Intent>], shortTitle: LocalizedStringResource, systemImageName: String
  ) {
    intentType = Intent.self
    descriptor = Result {
      try AppShortcutDescriptor(
        intent: intent.encoded(), phrases: phrases.map { try $0.template(for: intent) }, shortTitle: shortTitle.key,
        imageName: systemImageName)
    }
  }

  /// Creates an App Shortcut whose title is that of the intent, without an image.
  public init<Intent: AppIntent>(intent: Intent, phrases: [AppShortcutPhrase<Intent>]) {
    self.init(intent: intent, phrases: phrases, shortTitle: Intent.title, systemImageName: "")
  }
}

/// The App Shortcuts of an app, at most 10:
///
/// ```swift
/// struct TransitShortcuts: AppShortcutsProvider {
///   static var appShortcuts: [AppShortcut] {
///     AppShortcut(
///       intent: BuyTicket(), phrases: ["Buy a ticket for \(\.$line) in \(.applicationName)"],
///       shortTitle: "Buy Ticket", systemImageName: "ticket")
///   }
/// }
/// ```
///
/// A ``WidgetBundle`` names it as its `appShortcutsProvider`. The server keeps the phrases while the host is connected.
public protocol AppShortcutsProvider {
  /// The App Shortcuts, in order of precedence among equal matches.
  @AppShortcutsBuilder static var appShortcuts: [AppShortcut] { get }
}

extension AppShortcutsProvider {
  /// Does nothing: the values of parameters are resolved each time when a text is matched.
  public static func updateAppShortcutParameters() {}
}

/// A result builder for App Shortcuts.
@resultBuilder
public enum AppShortcutsBuilder {
  public static func buildExpression(_ shortcut: AppShortcut) -> [AppShortcut] { [shortcut] }
  public static func buildBlock(_ shortcuts: [AppShortcut]...) -> [AppShortcut] { shortcuts.flatMap(\.self) }
  public static func buildOptional(_ shortcuts: [AppShortcut]?) -> [AppShortcut] { shortcuts ?? [] }
  public static func buildEither(first shortcuts: [AppShortcut]) -> [AppShortcut] { shortcuts }
  public static func buildEither(second shortcuts: [AppShortcut]) -> [AppShortcut] { shortcuts }
}

extension PhraseBook {
  /// Creates the phrase book of an app.
  ///
  /// - Throws: The reason why a shortcut or the app's name is invalid.
  init(_ shortcuts: [AppShortcut], of connection: AppConnection) throws {
    guard !shortcuts.isEmpty else {
      self = .empty
      return
    }
    try self.init(
      applicationName: connection.applicationName, shortcuts: shortcuts.map { try $0.descriptor.get() })
  }
}
