import ArgumentParser
import Configuration
import Foundation
import Logging
import MarqueeConsole
import MarqueeServer
import Metrics
import ServiceLifecycle
import UnixSignals

/// `marqueed`: reads the settings, runs the server, drains it on SIGTERM and SIGINT, and on SIGHUP has it read the
/// access policy and certificates again.
@main
struct Marqueed: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "marqueed",
    abstract: "Decides which widget of each stack faces the person.",
    discussion: """
      Every option can also be set as an environment variable (--data-dir as MARQUEED_DATA_DIR) or as a key of a YAML \
      file given by --config (data-dir); an option wins over a variable, a variable over the file. The numbers of the \
      rules are set as policy.dwell and so on in the file, or as MARQUEED_POLICY_DWELL.
      """)

  @Option(name: .customLong("data-dir"), help: "The directory that everything is kept in.")
  var dataDirectory: String?

  @Option(name: .customLong("listen"), help: "An endpoint, unix:PATH or tcp:HOST:PORT; may be given several times.")
  var endpoints: [String] = []

  @Option(
    name: .customLong("access-policy"),
    help: ArgumentHelp(
      "A YAML file that says who may do what, read again on SIGHUP.",
      discussion: "Without one, only root and the user that the server runs as may do anything, through Unix sockets.",
      valueName: "file"))
  var accessPolicy: String?

  @Option(
    name: .customLong("socket-mode"),
    help: ArgumentHelp("Permissions of Unix sockets, such as 666 (default 600).", valueName: "mode"))
  var socketMode: String?

  @Flag(name: .customLong("allow-remote"), help: "Allow TCP endpoints beyond loopback, with TLS.")
  var isRemoteAllowed = false

  @Flag(
    name: .customLong("allow-plaintext"),
    help: "Allow TCP beyond loopback without TLS too: whoever is on the way reads all, and tokens.")
  var isPlaintextAllowed = false

  @Option(name: .customLong("tls-certificate-chain"), help: "A PEM file; TCP endpoints then use TLS.")
  var certificateChain: String?

  @Option(name: .customLong("tls-private-key"), help: "A PEM file with the key of the certificate.")
  var privateKey: String?

  @Option(
    name: .customLong("tls-client-roots"),
    help: "A PEM file with the certificates that sign those of clients.")
  var clientRoots: String?

  @Option(
    help: ArgumentHelp(
      "system (the default), or manual: time stands still until 'marquee clock advance' moves it.",
      discussion: """
        It begins at TIME, such as 2026-03-04T08:00:00Z, or at the latest time that the data directory knows of if \
        that is later; without either, at the machine's time.
        """, valueName: "system|manual[=TIME]"))
  var clock: String?

  @Option(name: .customLong("shutdown-grace"), help: "Seconds that open calls may go on after SIGTERM (default 10).")
  var shutdownGrace: Double?

  @Option(
    name: .customLong("history-days"),
    help: "Days of the past that can be asked for, at least; what is older is let go (all is kept unless given).")
  var historyDays: Double?

  @Option(
    name: .customLong("loaded-devices"),
    help: "Devices that stay in memory though nothing happens to them (default 20000); others are read when needed.")
  var loadedDeviceCountMax: Int?

  @Option(
    name: .customLong("metrics-listen"),
    help: "Where Prometheus may read metrics, on loopback, such as tcp:127.0.0.1:9464 (off unless given).")
  var metricsEndpoint: String?

  @Option(name: .customLong("slow-call"), help: "Seconds from which on a call is logged (off unless given).")
  var slowCallTimeMin: Double?

  @Option(name: .customLong("log-level"), help: "trace, debug, info (the default), notice, warning, error or critical.")
  var logLevel: String?

  @Option(name: .customLong("config"), help: "A YAML file of settings.")
  var configurationFile: String?

  func run() async throws {
    MarqueeServer.raiseFileCountMax()
    let reader = ConfigReader(providers: try await providers())
    let environment = ProcessInfo.processInfo.environment
    var configuration: MarqueeConfiguration
    do {
      configuration = try MarqueeConfiguration(reading: reader)
      try configuration.inheritSockets(by: environment)
    } catch let error as ConfigurationError {
      throw ValidationError("\(error)")
    }
    let logger = try logger(reader)
    let registry = configuration.metricsEndpoint.map { _ in MetricsRegistry(help: MarqueeServer.metricHelp) }
    let server = try MarqueeServer(
      configuration: configuration, logger: logger, metrics: registry ?? NOOPMetricsHandler.instance)
    var services: [ServiceGroupConfiguration.ServiceConfiguration] = [
      .init(service: server, successTerminationBehavior: .gracefullyShutdownGroup)
    ]
    if let notifier = ServiceNotifier(server, environment: environment) {
      services.append(.init(service: notifier, successTerminationBehavior: .ignore))
    }
    // Where there is nothing to read again, a terminal that is closed ends the server as it ends other programs.
    let hasFiles = configuration.accessPolicy != nil || configuration.tls != nil || environment["NOTIFY_SOCKET"] != nil
    if hasFiles { services.append(.init(service: Reloading(server))) }
    if let registry, case .tcp(let host, let port)? = configuration.metricsEndpoint {
      let metrics = MetricsService(registry, host: host, port: port, logger: logger) {
        server.recordConnectionMetrics()
      } bound: { port in
        logger.info("metrics can be read", metadata: ["endpoint": "http://\(host):\(port)/metrics"])
      }
      services.append(.init(service: metrics))
    }
    let group = ServiceGroup(
      configuration: ServiceGroupConfiguration(
        services: services, gracefulShutdownSignals: [.sigterm, .sigint], logger: logger))
    do {
      try await group.run()
    } catch let error as ConfigurationError {
      throw ValidationError("\(error)")
    }
  }

  /// Has the server read its files again on each SIGHUP.
  private struct Reloading: Service {
    let server: MarqueeServer

    init(_ server: MarqueeServer) {
      self.server = server
    }

    func run() async throws {
      for await _ in await UnixSignalsSequence(trapping: .sighup).cancelOnGracefulShutdown() { await server.reload() }
    }
  }

  private func providers() async throws -> [any ConfigProvider] {
    var providers: [any ConfigProvider] = [
      InMemoryProvider(name: "options", values: givenOptions),
      EnvironmentVariablesProvider().prefixKeys(with: "marqueed"),
    ]
    if let configurationFile {
      do {
        providers.append(try await FileProvider<YAMLSnapshot>(filePath: .init(configurationFile)))
      } catch {
        throw ValidationError("--config: the file cannot be read as YAML")
      }
    }
    return providers
  }

  /// The options that were given, by the keys of the settings.
  private var givenOptions: [AbsoluteConfigKey: ConfigValue] {
    var values: [AbsoluteConfigKey: ConfigValue] = [:]
    func set(_ key: [String], _ value: ConfigContent?) {
      if let value { values[AbsoluteConfigKey(key)] = ConfigValue(value, isSecret: false) }
    }
    set(["data-dir"], dataDirectory.map { .string($0) })
    set(["listen"], endpoints.isEmpty ? nil : .stringArray(endpoints))
    set(["allow-remote"], isRemoteAllowed ? .bool(true) : nil)
    set(["allow-plaintext"], isPlaintextAllowed ? .bool(true) : nil)
    set(["access-policy"], accessPolicy.map { .string($0) })
    set(["socket-mode"], socketMode.map { .string($0) })
    set(["tls", "client-roots"], clientRoots.map { .string($0) })
    set(["tls", "certificate-chain"], certificateChain.map { .string($0) })
    set(["tls", "private-key"], privateKey.map { .string($0) })
    set(["clock"], clock.map { .string($0) })
    set(["shutdown-grace"], shutdownGrace.map { .double($0) })
    set(["history-days"], historyDays.map { .double($0) })
    set(["loaded-devices"], loadedDeviceCountMax.map { .int($0) })
    set(["metrics-listen"], metricsEndpoint.map { .string($0) })
    set(["slow-call"], slowCallTimeMin.map { .double($0) })
    set(["log-level"], logLevel.map { .string($0) })
    return values
  }

  private func logger(_ reader: ConfigReader) throws -> Logger {
    let name = reader.string(forKey: "log-level", default: "info")
    guard let level = Logger.Level(rawValue: name) else { throw ValidationError("log-level: '\(name)' is no level") }
    LoggingSystem.bootstrap(StreamLogHandler.standardError)
    var logger = Logger(label: "marqueed")
    logger.logLevel = level
    return logger
  }
}
