public import Foundation
package import MarqueeClient
import MarqueeModel
public import MarqueeTransport
import Synchronization

/// The app that a process speaks for, on one device of one server.
///
/// On the platform both are the system's business. Here the environment says them: `MARQUEE_APP`, `MARQUEE_DEVICE`,
/// and `MARQUEE_SERVER` with what `ClientCredentials` and `Endpoint.standard()` read besides. A process that is
/// several apps, or a test, makes a connection of its own and runs what belongs to it inside ``run(_:)``.
///
/// What is donated, deleted and set takes effect in the order in which it was called for, however it was called.
public final class AppConnection: Sendable {
  /// The environment names no app or no device, or does it wrongly.
  public struct Unconfigured: Error, Hashable, Sendable, CustomStringConvertible {
    public let description: String
  }

  @TaskLocal private static var scoped: AppConnection?
  private static let standard = Mutex<AppConnection?>(nil)

  /// The app's bundle identifier, such as `com.example.cards`.
  public let app: String
  /// The device's name on the server.
  public let device: String
  /// What time it is, for what is done now.
  public let now: @Sendable () -> Date

  let client: RPCClient
  private let provider: ProviderClient
  private let last = Mutex<Task<Void, Never>?>(nil)
  private let registeredTypes = Mutex<Set<IntentType>>([])
  /// What the app holds relevant: set by hand and said by its kinds.
  package let relevantShortcuts = RelevantShortcutSet()
  /// Who can ask the app's kinds when they are relevant.
  let relevanceDesks = RelevanceDesks()

  /// A connection that is made when something is first called for.
  ///
  /// - Parameters:
  ///   - app: A bundle identifier: at least two parts joined by dots.
  ///   - device: A name of at most 255 bytes.
  ///   - client: To the server.
  ///   - now: The time; that of the machine if not given.
  /// - Throws: ``Unconfigured`` when a name cannot be one.
  public init(
    app: String, device: String, client: RPCClient, now: @escaping @Sendable () -> Date = { Date() }
  ) throws {
    do {
      provider = try ProviderClient(client, device: DeviceID(device), app: AppID(app), kinds: [])
    } catch {
      throw Unconfigured(description: "the app or the device cannot be called so: \(error)")
    }
    (self.app, self.device, self.client, self.now) = (app, device, client, now)
  }

  /// The connection that the environment describes.
  ///
  /// - Throws: ``Unconfigured``, and what `Endpoint.standard()` and `ClientCredentials` throw.
  public convenience init(environment: [String: String] = ProcessInfo.processInfo.environment) throws {
    func value(_ name: String) throws -> String {
      guard let value = environment[name], !value.isEmpty else {
        throw Unconfigured(description: "\(name) is not set in the environment")
      }
      return value
    }
    let (app, device) = (try value("MARQUEE_APP"), try value("MARQUEE_DEVICE"))
    let endpoint = try Endpoint.standard(environment: environment)
    let configuration = try ClientCredentials(environment: environment).configuration(for: endpoint)
    try self.init(app: app, device: device, client: RPCClient(endpoint, configuration: configuration))
  }

  /// The innermost connection whose ``run(_:)`` the caller is in, else that of the process's environment.
  public static var current: AppConnection {
    get throws {
      if let scoped { return scoped }
      return try standard.withLock { standard in
        if let standard { return standard }
        let made = try AppConnection()
        standard = made
        return made
      }
    }
  }

  /// Runs `body` as this app: what it and its tasks donate and set goes to this connection.
  public func run<Result>(_ body: () async throws -> Result) async rethrows -> Result {
    try await Self.$scoped.withValue(self, operation: body)
  }

  /// The same for what does not wait.
  public func run<Result>(_ body: () throws -> Result) rethrows -> Result {
    try Self.$scoped.withValue(self, operation: body)
  }

  /// Begins `work` once all that was called for before has ended.
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

  /// Describes intent types to the server, those that it has not been told by this connection.
  func register(_ types: [IntentTypeDescriptor], with provider: ProviderClient) async throws {
    let new = registeredTypes.withLock { registered in types.filter { !registered.contains($0.type) } }
    guard !new.isEmpty else { return }
    try await provider.registerIntentTypes(new)
    registeredTypes.withLock { $0.formUnion(new.map(\.type)) }
  }
}

extension AppConnection {
  /// Calls `work` for the app that the caller speaks for, in its turn, and tells `completion` how it ended. What
  /// `prepare` makes, it makes before this returns; what it throws is told as well.
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

  /// The same for callers that wait.
  static func perform<Input: Sendable>(
    _ prepare: (AppConnection) throws -> Input,
    _ work: @escaping @Sendable (AppConnection, ProviderClient, Input) async throws -> Void
  ) async throws {
    let connection = try current
    let input = try prepare(connection)
    try await connection.inOrder { provider in try await work(connection, provider, input) }.value
  }
}
