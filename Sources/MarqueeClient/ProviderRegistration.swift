public import MarqueeModel
import MarqueeWire

/// The kinds, intent types and App Shortcuts of an app, with texts in one language.
public struct ProviderRegistration: Hashable, Sendable {
  /// The app's widget kinds.
  public var kinds: [WidgetDescriptor]
  /// The app's intent types.
  public var intentTypes: [IntentTypeDescriptor]
  /// The app's App Shortcuts.
  public var phrases: PhraseBook

  /// Creates a registration.
  public init(kinds: [WidgetDescriptor], intentTypes: [IntentTypeDescriptor] = [], phrases: PhraseBook = .empty) {
    (self.kinds, self.intentTypes, self.phrases) = (kinds, intentTypes, phrases)
  }
}

/// The requests of a registration.
struct RegistrationRequests: Sendable {
  let kinds: RegisterKindsRequest
  let intentTypes: RegisterIntentTypesRequest
  let phrases: PhraseBook

  /// Creates the requests.
  ///
  /// - Throws: `RequestError` if a kind or intent type is duplicated or belongs to another app.
  init(_ registration: ProviderRegistration, device: DeviceID, app: AppID) throws(RequestError) {
    kinds = try RegisterKindsRequest(device: device, app: app, kinds: registration.kinds)
    intentTypes = try RegisterIntentTypesRequest(device: device, app: app, intentTypes: registration.intentTypes)
    phrases = registration.phrases
  }
}

/// The registration of an app in the device's language.
struct LocalizedRegistration: Sendable {
  /// Returns the registration in a language.
  let registration: @Sendable (LanguageTag) throws -> ProviderRegistration
  /// Called with the device's language, before the registration in that language.
  let learned: @Sendable (LanguageTag) -> Void
}
