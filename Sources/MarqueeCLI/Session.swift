import ArgumentParser
import Foundation
import MarqueeClient
import MarqueeModel
import MarqueeRPC
import MarqueeTerminal
import MarqueeTransport
import MarqueeWire

/// Options that select the server and the output format.
struct ServerOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("The server's endpoint: unix:PATH or tcp:HOST:PORT.", valueName: "endpoint"),
    transform: { text in
      do { return try Endpoint(text) } catch { throw ValidationError("\(error)") }
    })
  var server: Endpoint?

  @OptionGroup(title: "Credentials") var credentials: CredentialOptions

  @Flag(help: "Write JSON.")
  var json = false

  /// Connects to the server, runs `body` and converts RPC errors to ``CommandFailure``.
  ///
  /// A progress message appears if the server is slow to answer, unless `follows` is true, which marks commands that
  /// run until they are interrupted. A lost connection is retried for up to `reconnectionTimeMax`, if given.
  func run(
    follows: Bool = false, reconnectionTimeMax: Duration? = nil, _ body: (Session) async throws -> Void
  ) async throws {
    let endpoint = try endpoint()
    let connection = try credentials.connection(to: endpoint, reconnectionTimeMax: reconnectionTimeMax)
    let session = Session(endpoint: endpoint, connection: connection, isJSON: json)
    let progress = follows ? nil : ProgressMeter("Waiting for the server at \(endpoint)")
    defer { progress?.end() }
    do {
      try await body(session)
      await session.connection.close()
    } catch let status as RPCStatus {
      // A server that answers health checks has reported the reason itself.
      if status.code == .unavailable, (try? await HealthClient(connection).check()) != nil {
        throw CommandFailure(.unavailable, "\(endpoint): \(status.message)")
      }
      throw session.failure(status)
    }
  }

  /// Returns the endpoint of the selected server.
  func endpoint() throws(CommandFailure) -> Endpoint {
    if let server { return server }
    do {
      return try Endpoint.default()
    } catch {
      throw CommandFailure(.usage, "cannot determine the server's endpoint: \(error)")
    }
  }
}

/// Options for the client's credentials; each can also be set by an environment variable.
struct CredentialOptions: ParsableArguments {
  /// The option names.
  static let names = [
    "--token-file", "--tls-roots", "--tls-certificate-chain", "--tls-private-key", "--tls-server-name",
  ]

  @Option(help: ArgumentHelp("A file with a bearer token (MARQUEE_TOKEN_FILE).", valueName: "file"))
  var tokenFile: String?

  @Option(
    help: ArgumentHelp(
      """
      Use TLS and trust the CA certificates in this PEM file, or "system" for the system's trust store \
      (MARQUEE_TLS_ROOTS).
      """, valueName: "file"))
  var tlsRoots: String?

  @Option(
    help: ArgumentHelp("A PEM file with a client certificate (MARQUEE_TLS_CERTIFICATE_CHAIN).", valueName: "file"))
  var tlsCertificateChain: String?

  @Option(help: ArgumentHelp("A PEM file with its private key (MARQUEE_TLS_PRIVATE_KEY).", valueName: "file"))
  var tlsPrivateKey: String?

  @Option(
    help: ArgumentHelp(
      "The expected server certificate name, if not the host (MARQUEE_TLS_SERVER_NAME).", valueName: "name"))
  var tlsServerName: String?

  /// Returns a client for `endpoint`. Nothing is sent yet.
  func connection(
    to endpoint: Endpoint, reconnectionTimeMax: Duration? = nil
  ) throws(CommandFailure) -> RPCClient {
    var credentials = ClientCredentials(environment: ProcessInfo.processInfo.environment)
    if let tokenFile { credentials.tokenFile = tokenFile }
    if let tlsRoots { credentials.tlsRoots = tlsRoots }
    if let tlsCertificateChain { credentials.tlsCertificateChain = tlsCertificateChain }
    if let tlsPrivateKey { credentials.tlsPrivateKey = tlsPrivateKey }
    if let tlsServerName { credentials.tlsServerName = tlsServerName }
    do {
      var configuration = try credentials.configuration(for: endpoint)
      if let reconnectionTimeMax { configuration.backoff.last = reconnectionTimeMax }
      return RPCClient(endpoint, configuration: configuration)
    } catch {
      throw CommandFailure(.usage, "\(error)")
    }
  }
}

/// A connection to the server and the output format of a command.
struct Session: Sendable {
  let endpoint: Endpoint
  let connection: RPCClient
  let isJSON: Bool
  let terminal = Terminal.standard

  /// The end of the message of a connection without TLS to a server that requires it.
  private static let tlsRequirement = "the peer requires TLS"

  var operators: OperatorClient { OperatorClient(connection) }
  var display: DisplayClient { DisplayClient(connection) }

  /// The reconnection of a command that prints updates as they arrive, or publishes a timeline: it reports on standard
  /// error when there can be none.
  var announcedReconnection: Reconnection {
    var reconnection = Reconnection()
    reconnection.changed = { [terminal, endpoint] isInterrupted, status in
      let reason = status.map { " (\($0.message))" } ?? ""
      terminal.writeError([
        isInterrupted ? "The updates of \(endpoint) were interrupted\(reason); reconnecting." : "The updates continue."
      ])
    }
    reconnection.failed = { [terminal] status in
      guard status.code == .resourceExhausted else { return }
      terminal.warn("the server is overloaded or its disk full; trying again: \(status.message)")
    }
    return reconnection
  }

  /// Runs `body`, which queries an app through the server, and adds a hint if the app is unavailable.
  ///
  /// - Parameter app: The app, or `nil` if only the server knows it.
  func ask<Answer>(_ app: AppID? = nil, _ body: () async throws -> Answer) async throws -> Answer {
    do {
      return try await body()
    } catch let status as RPCStatus where status.code == .unavailable {
      // A server that answers health checks has reported that the app is unavailable.
      guard (try? await HealthClient(connection).check()) != nil else { throw status }
      throw CommandFailure(
        .unavailable, status.message,
        hints: ["Start the provider of \(app?.text ?? "the app")'s widgets on this device."])
    }
  }

  /// Writes either the JSON or the text lines, depending on the output format.
  func write(json: @autoclosure () throws -> JSONValue, lines: @autoclosure () throws -> [String]) rethrows {
    if isJSON { terminal.write(try json()) } else { terminal.write(try lines()) }
  }

  /// Converts an RPC status to a user-facing failure.
  func failure(_ status: RPCStatus) -> CommandFailure {
    switch status.code {
    case .unavailable where status.message.hasSuffix(Self.tlsRequirement):
      return CommandFailure(
        .unavailable, "the server at \(endpoint) requires TLS",
        hints: ["Trust its certificate authority with --tls-roots FILE, or with MARQUEE_TLS_ROOTS."])
    case .unavailable:
      return CommandFailure(
        .unavailable, "no server answers at \(endpoint): \(status.message)",
        hints: [
          "Start one with: marqueed --data-dir DIRECTORY --listen \(endpoint)",
          "Or name another with --server ENDPOINT, or in \(Endpoint.environmentVariable).",
        ])
    case .deadlineExceeded:
      return CommandFailure(.unavailable, "the server at \(endpoint) did not answer in time", code: status.code)
    case .internalError, .unknown, .dataLoss, .unimplemented:
      return CommandFailure(.internalError, "the server at \(endpoint) failed: \(status)", code: status.code)
    case .unauthenticated where status == .noAccessPolicy:
      return CommandFailure(
        .rejected, "rejected: \(status)", code: status.code,
        hints: ["Start marqueed with --access-policy, or connect to its Unix socket with --server."])
    case .unauthenticated:
      return CommandFailure(
        .rejected, "rejected: \(status)", code: status.code,
        hints: ["Authenticate with --token-file, or with --tls-certificate-chain and --tls-private-key."])
    default:
      return CommandFailure(.rejected, "rejected: \(status)", code: status.code)
    }
  }
}

/// Runs `body` until it ends. The signals cancel it, which is not a failure.
func withInterruption(
  by signals: [CInt] = [SIGINT, SIGTERM], _ body: @escaping @Sendable () async throws -> Void
) async throws {
  let (interruptions, continuation) = AsyncStream.makeStream(of: Void.self)
  // Installed before `body` starts, because its first output may trigger the signal.
  let watch = await SignalWatch(signals) { _ in continuation.yield() }
  let task = Task { try await body() }
  let interrupter = Task { for await _ in interruptions { task.cancel() } }
  defer {
    watch.end()
    interrupter.cancel()
  }
  do {
    try await task.value
  } catch  where task.isCancelled {
    // Cancelled as requested.
  }
}
