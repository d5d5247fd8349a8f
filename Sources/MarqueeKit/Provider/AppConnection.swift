public import Foundation
package import MarqueeClient
import MarqueeModel
public import MarqueeTransport
import Synchronization

/// The identity of an app on one device of one server.
///
/// Apple's systems know both; here the environment names them: `MARQUEE_APP`, `MARQUEE_DEVICE` and `MARQUEE_SERVER`,
/// plus the variables that `ClientCredentials` and `Endpoint.default()` read. `MARQUEE_APP_NAME` is the name by which
/// users call the app; it defaults to the last component of the bundle identifier. A process that acts for several
/// apps, or a test, creates its own connections and runs code for each inside ``run(_:)``.
///
/// Donations, deletions and updates take effect in call order, for both asynchronous and completion-handler calls.
public final class AppConnection: Sendable {
  /// The environment lacks a variable, or contains an invalid one.
  public struct Unconfigured: Error, Hashable, Sendable, CustomStringConvertible {
    public let description: String
  }

  private struct Host {
    weak var provider: ProviderClient?
  }

  @TaskLocal private static var scoped: AppConnection?
  private static let shared = Mutex<AppConnection?>(nil)

  /// The app's bundle identifier, such as `com.example.cards`.
  public let app: String
  /// The name by which users call the app in the phrases of its App Shortcuts.
  public let applicationName: String
  /// The device's ID on the server.
  public let device: String
  /// Returns the current time, used for donations without a date.
  public let now: @Sendable () -> Date

  let client: RPCClient
  let provider: ProviderClient
  private let last = Mutex<Task<Void, Never>?>(nil)
  /// The intent types as this connection has registered them.
  private let registeredTypes = Mutex<[IntentType: IntentTypeDescriptor]>([:])
  /// The app's texts in the device's language.
  let texts: AppTexts
  /// The app's relevant shortcuts: set explicitly, and from its kinds' `relevance()`.
  package let relevantShortcuts = RelevantShortcutSet()
  /// The domains of the searchable items that this process has indexed.
  let searchableDomains = SearchableDomains()
  /// The client of the latest host on this connection.
  private let host = Mutex(Host())
  /// The relevance updaters of the hosts on this connection.
  let relevanceUpdaters = RelevanceUpdaters()

  /// Creates a connection, which connects on first use.
  ///
  /// - Parameters:
  /// - app: A bundle identifier: at least two components joined by dots.
  /// - device: A device ID of at most 255 bytes.
  /// - applicationName: The name by which users call the app. Defaults to the last component of the bundle identifier.
  /// - localizations: The texts of the app in its languages.
  /// - client: The client connected to the server.
  /// - now: Returns the current time. Defaults to the system clock.
  /// - Throws: ``Unconfigured`` if the app or device ID is invalid.
  public init(
    app: String, device: String, applicationName: String? = nil, localizations: Localizations = .none,
    client: RPCClient, now: @escaping @Sendable () -> Date = { Date() }
  ) throws {
    texts = AppTexts(localizations)
    do {
      provider = try ProviderClient(client, device: DeviceID(device), app: AppID(app), kinds: [])
    } catch {
      throw Unconfigured(description: "invalid app or device ID: \(error)")
    }
    (self.app, self.device, self.client, self.now) = (app, device, client, now)
    self.applicationName = applicationName ?? app.split(separator: ".").last.map(String.init) ?? app
  }

  /// Creates the connection that the environment describes.
  ///
  /// - Throws: ``Unconfigured``, and the errors of `Endpoint.default()` and `ClientCredentials`.
  public convenience init(environment: [String: String] = ProcessInfo.processInfo.environment) throws {
    func value(_ name: String) throws -> String {
      guard let value = environment[name], !value.isEmpty else {
        throw Unconfigured(description: "\(name) is not set in the environment")
      }
      return value
    }
    let (app, device) = (try value("MARQUEE_APP"), try value("MARQUEE_DEVICE"))
    let endpoint = try Endpoint.default(environment: environment)
    let configuration = try ClientCredentials(environment: environment).configuration(for: endpoint)
    let name = environment["MARQUEE_APP_NAME"].flatMap { $0.isEmpty ? nil : $0 }
    try self.init(
      app: app, device: device, applicationName: name, client: RPCClient(endpoint, configuration: configuration))
  }

  /// The connection of the innermost enclosing ``run(_:)``, or else the process's connection from the environment.
  public static var current: AppConnection {
    get throws {
      if let scoped { return scoped }
      return try shared.withLock { shared in
        if let shared { return shared }
        let made = try AppConnection()
        shared = made
        return made
      }
    }
  }

  /// The connection of the innermost enclosing ``run(_:)``, or else the process's connection if it has been used.
  static var existing: AppConnection? { scoped ?? shared.withLock(\.self) }

  /// Sets the texts of the app in its languages, which replace those of an earlier call.
  ///
  /// A host does so with those of its bundle. Set them in every process of the app that donates or sets relevant
  /// shortcuts: the texts that were sent last count. A process without any does not replace the texts of intent types
  /// that are registered, unless the device's language is English.
  public func use(_ localizations: Localizations) { texts.use(localizations) }

  /// The current time of the innermost enclosing ``run(_:)``, or else of the system clock.
  ///
  /// Providers read it in place of `Date()`, so that tests can run them on a simulated clock.
  public static var now: Date { scoped?.now() ?? Date() }

  /// The time zone of the current connection's device, for local times in texts.
  ///
  /// A host knows it before it calls the app, and makes all timelines again when it changes. In a process without a
  /// host, call ``updateTimeZone()`` first. Until it is known, and if this machine does not know the zone, it is the
  /// system's.
  public static var timeZone: TimeZone { existing?.deviceTimeZone ?? .current }

  /// Requests the device's time zone for ``timeZone``, in a process without a host.
  public func updateTimeZone() async throws { try await provider.deviceTimeZone() }

  private var deviceTimeZone: TimeZone? {
    let zone = host.withLock(\.provider)?.timeZone ?? provider.timeZone
    return zone.flatMap { TimeZone(identifier: $0.text) }
  }

  /// Uses the time zone that a host's client receives.
  func followTimeZone(of provider: ProviderClient) { host.withLock { $0.provider = provider } }

  /// Runs `body` as this app: its donations and updates, and those of its child tasks, use this connection.
  public func run<Result>(_ body: () async throws -> Result) async rethrows -> Result {
    try await Self.$scoped.withValue(self, operation: body)
  }

  /// Runs a synchronous `body` as this app.
  public func run<Result>(_ body: () throws -> Result) rethrows -> Result {
    try Self.$scoped.withValue(self, operation: body)
  }

  /// Starts `work` after all earlier work on this connection has finished.
  package func inOrder<Result: Sendable>(
    _ work: @escaping @Sendable (ProviderClient) async throws -> Result
  ) -> Task<Result, any Error> {
    last.withLock { last in
      let (before, provider) = (last, provider)
      let task = Task {
        await before?.value
        return try await work(provider)
      }
      last = Task { _ = await task.result }
      return task
    }
  }

  /// Registers the intent types that this connection has not registered yet, or with texts in another language.
  func register(_ types: [IntentTypeDescriptor], with provider: ProviderClient) async throws {
    let new = registeredTypes.withLock { registered in types.filter { registered[$0.type] != $0 } }
    guard !new.isEmpty else { return }
    // Without texts, this process does not replace those that another process of the app registered.
    let localizations = texts.localizations
    let language = localizations.languages.isEmpty ? localizations.development : nil
    try await provider.registerIntentTypes(new, in: language)
    registeredTypes.withLock { registered in
      for type in new { registered[type.type] = type }
    }
  }

  /// Removes intent types, which are registered again on their next use.
  func remove(_ types: [IntentType], with provider: ProviderClient) async throws -> Int {
    let count = try await provider.removeIntentTypes(types)
    registeredTypes.withLock { registered in
      for type in types { registered[type] = nil }
    }
    return count
  }
}

extension AppConnection {
  /// Runs `work` on the current connection in call order, and passes its error, if any, to `completion`.
  ///
  /// `prepare` runs before this method returns; an error that it throws is passed to `completion`, too.
  static func perform<Input: Sendable>(
    _ prepare: (AppConnection) throws -> Input, completion: (@Sendable ((any Error)?) -> Void)?,
    _ work: @escaping @Sendable (AppConnection, ProviderClient, Input) async throws -> Void
  ) {
    do {
      let connection = try current
      let input = try prepare(connection)
      let task = connection.inOrder { provider in try await work(connection, provider, input) }
      guard let completion else { return }
      Task {
        do {
          try await task.value
          completion(nil)
        } catch {
          completion(error)
        }
      }
    } catch {
      completion?(error)
    }
  }

  /// Requests the device's language if no host of this process follows it.
  ///
  /// Calls with a completion handler cannot wait for it: they use the latest known language.
  private func updateLanguage() async {
    guard texts.isOutdated else { return }
    // On failure, the call that follows fails, too, and reports the reason.
    if let language = try? await provider.deviceLanguage() { texts.use(language) }
  }

  /// Runs `work` on the current connection in call order, and waits for it.
  static func perform<Input: Sendable>(
    _ prepare: (AppConnection) throws -> Input,
    _ work: @escaping @Sendable (AppConnection, ProviderClient, Input) async throws -> Void
  ) async throws {
    let connection = try current
    await connection.updateLanguage()
    let input = try prepare(connection)
    try await connection.inOrder { provider in try await work(connection, provider, input) }.value
  }
}
