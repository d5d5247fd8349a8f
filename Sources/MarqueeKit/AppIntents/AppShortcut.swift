import MarqueeModel

/// An intent that the user can perform by speaking one of its phrases to a display, such as a car's or a kiosk's voice
/// front end.
public struct AppShortcut: Sendable {
  /// The type of the intent.
  let intentType: any AppIntent.Type
  /// Returns the shortcut, converted to the server's model, in the current language; with phrases in the development
  /// language as well if the flag is set.
  fileprivate let descriptor: @Sendable (Bool) throws -> AppShortcutDescriptor

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
    let templates = Result { try phrases.map { try $0.template(for: intent) } }
    descriptor = { includesDevelopment in
      let (templates, language) = (try templates.get(), ResolvedLanguage.current)
      var phrases = try templates.map { try language.phrase($0) }
      if includesDevelopment {
        for phrase in try templates.map(language.development.phrase) where !phrases.contains(phrase) {
          phrases.append(phrase)
        }
      }
      return try AppShortcutDescriptor(
        intent: intent.encoded(), phrases: phrases, shortTitle: language.shortTitle(shortTitle),
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
  /// Creates the phrase book of an app in the current language, with phrases in the development language as well unless
  /// both together exceed a limit.
  ///
  /// - Throws: The reason why a shortcut or the app's name is invalid.
  init(_ shortcuts: [AppShortcut], of connection: AppConnection) throws {
    guard !shortcuts.isEmpty else {
      self = .empty
      return
    }
    do {
      try self.init(applicationName: connection.applicationName, shortcuts: shortcuts.map { try $0.descriptor(true) })
    } catch is RequestError {
      // An error other than a limit is thrown again.
      try self.init(applicationName: connection.applicationName, shortcuts: shortcuts.map { try $0.descriptor(false) })
    }
  }
}

extension ResolvedLanguage {
  private static let phraseTables = [Localizations.phraseTable, Localizations.defaultTable]

  /// Returns a short title, which is in the table of phrases unless it names another one.
  fileprivate func shortTitle(_ title: LocalizedStringResource) -> String {
    guard title.table == nil, title.arguments.isEmpty, title.isLocalized else { return text(of: title) }
    return string(for: title.key, in: Self.phraseTables) ?? text(of: title)
  }

  /// Returns a phrase in this language. Its key has `${applicationName}` and `${name}` for the app and the parameter.
  ///
  /// - Throws: `RequestError` that names the phrase if its localization is invalid.
  fileprivate func phrase(_ template: PhraseTemplate) throws(RequestError) -> PhraseTemplate {
    let key = template.parts.map { part in
      switch part {
      case .text(let text): text
      case .applicationName: "${applicationName}"
      case .parameter(let parameter): "${\(parameter.name)}"
      }
    }.joined()
    guard let text = string(for: key, in: Self.phraseTables) else { return template }
    do throws(RequestError) {
      return try PhraseTemplate(
        ReferencePart.parts(of: text).map { (part) throws(RequestError) -> PhraseTemplate.Part in
          switch part {
          case .text(let text): return .text(text)
          case .reference("applicationName"): return .applicationName
          case .reference(let name):
            guard let parameter = template.parameter, parameter.name.text == name else {
              throw RequestError(.invalidArgument, "the phrase in code has no parameter \(name.visible(sizeMax: 64))")
            }
            return .parameter(parameter)
          }
        })
    } catch {
      throw RequestError(
        error.code, field: "appShortcuts", "the localized phrase \"\(text.visible(sizeMax: 256))\": \(error.reason)")
    }
  }
}

extension PhraseTemplate {
  /// The parameter of the phrase; `nil` if it has none.
  fileprivate var parameter: Parameter? {
    for case .parameter(let parameter) in parts { return parameter }
    return nil
  }
}
