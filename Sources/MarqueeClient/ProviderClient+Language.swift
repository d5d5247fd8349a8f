public import MarqueeModel
import MarqueeTransport
import MarqueeWire

/// The device's language, in which an app registers its texts.
extension ProviderClient {
  /// Returns the device's language. It does not require ``run()``.
  public func deviceLanguage() async throws -> LanguageTag { try await deviceLanguage(callOptions) }

  func deviceLanguage(_ options: CallOptions) async throws -> LanguageTag {
    let request = GetDeviceTimeRequest(device: registration.device)
    return try await connection.unary(DisplayService.getDeviceTime, request, options: options).language
  }

  /// Makes the registration in a language; with `nil`, the present one stays.
  func localize(in language: LanguageTag?) throws {
    guard let localized, let language else { return }
    localized.learned(language)
    let (device, app) = (registration.device, registration.app)
    let new = try RegistrationRequests(localized.registration(language), device: device, app: app)
    requests.withLock { $0 = new }
  }

  func registerKinds(_ options: CallOptions) async throws {
    _ = try await connection.unary(ProviderService.registerKinds, registration, options: options)
    isRegistered.withLock { $0 = true }
  }

  func registerAll(_ options: CallOptions) async throws {
    try await registerKinds(options)
    let types = requests.withLock(\.intentTypes)
    if !types.intentTypes.isEmpty {
      _ = try await connection.unary(ProviderService.registerIntentTypes, types, options: options)
    }
  }

  /// Registers in each language that differs from the previous one.
  func follow(
    _ languages: AsyncStream<LanguageTag>, registered: LanguageTag?, _ books: AsyncStream<PhraseBook>.Continuation
  ) async throws {
    var registered = registered
    for await language in languages where language != registered {
      try localize(in: language)
      try await registerAll(waitingOptions)
      books.yield(requests.withLock(\.phrases))
      registered = language
    }
  }
}
