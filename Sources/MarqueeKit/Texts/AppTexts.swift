import MarqueeModel
import Synchronization

/// An app's localizations, and the language of its device.
final class AppTexts: Sendable {
  private struct State {
    var localizations: Localizations
    /// The device's language; `nil` until it is known.
    var language: LanguageTag?
    var resolved: ResolvedLanguage
    /// The number of running hosts, which follow the device's language.
    var hostCount = 0
  }

  private let state: Mutex<State>

  init(_ localizations: Localizations) {
    state = Mutex(State(localizations: localizations, resolved: ResolvedLanguage(nil, localizations)))
  }

  /// The app's localizations.
  var localizations: Localizations { state.withLock(\.localizations) }

  /// The texts in the device's language, or in the development language until it is known.
  var resolved: ResolvedLanguage { state.withLock(\.resolved) }

  /// Whether the device's language must be requested: there are localizations, and no host follows it.
  var isOutdated: Bool {
    state.withLock { state in
      !state.localizations.languages.isEmpty && (state.hostCount == 0 || state.language == nil)
    }
  }

  /// Returns the texts in a language.
  func resolved(in language: LanguageTag) -> ResolvedLanguage { ResolvedLanguage(language, localizations) }

  /// Replaces the localizations.
  func use(_ localizations: Localizations) {
    state.withLock { state in
      state.localizations = localizations
      state.resolved = ResolvedLanguage(state.language, localizations)
    }
  }

  /// Sets the device's language.
  func use(_ language: LanguageTag) {
    state.withLock { state in
      guard state.language != language else { return }
      state.language = language
      state.resolved = ResolvedLanguage(language, state.localizations)
    }
  }

  /// Runs `body`, the work of a host that sets the language when it changes.
  func follow<Result>(_ body: () async throws -> Result) async rethrows -> Result {
    state.withLock { $0.hostCount += 1 }
    defer { state.withLock { $0.hostCount -= 1 } }
    return try await body()
  }
}
