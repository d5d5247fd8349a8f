import MarqueeClient
import MarqueeModel

/// The kinds, intent types and App Shortcuts that a host registers, in each language.
struct HostRegistration: Sendable {
  let kinds: [HostedKind]
  let intents: [HostedIntent]
  let shortcuts: [AppShortcut]
  let connection: AppConnection
  let app: AppID

  /// Returns the registration with texts in a language.
  func localized(in language: LanguageTag) throws -> ProviderRegistration {
    try made(in: connection.texts.resolved(in: language))
  }

  /// Returns the registration with texts in the development language.
  func inDevelopmentLanguage() throws -> ProviderRegistration { try made(in: connection.texts.resolved.development) }

  /// Validates the registration in each language of the app, and in the development language.
  func checkAllLanguages() throws {
    for language in connection.texts.localizations.languages {
      do { _ = try localized(in: language) } catch let error as RequestError {
        throw error.within("localizations.\(language)")
      }
    }
    _ = try inDevelopmentLanguage()
  }

  private func made(in language: ResolvedLanguage) throws -> ProviderRegistration {
    try connection.run {
      try language.run {
        var types: [IntentTypeDescriptor] = []
        for intent in intents {
          let type = try intent.descriptor(app)
          if !types.contains(type) { types.append(type) }
        }
        return ProviderRegistration(
          kinds: try kinds.map { try $0.descriptor(of: app) }, intentTypes: types,
          phrases: try PhraseBook(shortcuts, of: connection))
      }
    }
  }
}
