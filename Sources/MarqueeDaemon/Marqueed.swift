import ArgumentParser
import Configuration
import Foundation
import Logging
import MarqueeFiles
import MarqueeModel
import MarqueePrometheus
import MarqueeServer
import Metrics
import ServiceLifecycle
import UnixSignals

/// The command `marqueed`, which reads the settings and runs the server, unless a subcommand is given.
///
/// SIGTERM and SIGINT start a graceful shutdown; SIGHUP reloads the access policy and certificates.
@main
struct Marqueed: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "marqueed",
    abstract: "Run a Marquee server, or verify or restore its data.",
    usage: """
      marqueed <options>
      marqueed verify <path> [--json]
      marqueed restore <file> <directory>
      """,
    discussion: """
      Every option can also be set as an environment variable (MARQUEED_DATA_DIR for --data-dir) or as a key of the \
      YAML file given by --config (data-dir). Options take precedence over variables, and variables over the file. \
      Policy fields are set as policy.dwell in the file or as MARQUEED_POLICY_DWELL, limits as limits.stack-count-max \
      or MARQUEED_LIMITS_STACK_COUNT_MAX.
      """, subcommands: [VerifyCommand.self, RestoreCommand.self])

  @Option(name: .customLong("data-dir"), help: "The data directory.")
  var dataDirectory: String?

  @Option(name: .customLong("listen"), help: "An endpoint to listen on: unix:PATH or tcp:HOST:PORT. Repeatable.")
  var endpoints: [String] = []

  @Option(
    name: .customLong("access-policy"),
    help: ArgumentHelp(
      "The access policy, a YAML file; reloaded on SIGHUP.",
      discussion: "Without one, only root and the server's own user have access, over Unix sockets.",
      valueName: "file"))
  var accessPolicy: String?

  @Option(
    name: .customLong("socket-mode"),
    help: ArgumentHelp("The file mode of Unix sockets, such as 666 (default: 600).", valueName: "mode"))
  var socketMode: String?

  @Flag(name: .customLong("allow-remote"), help: "Allow TCP endpoints on non-loopback addresses, with TLS.")
  var isRemoteAllowed = false

  @Flag(
    name: .customLong("allow-plaintext"),
    help: "Allow TCP endpoints on non-loopback addresses without TLS. Exposes all traffic, including bearer tokens.")
  var isPlaintextAllowed = false

  @Option(
    name: .customLong("tls-certificate-chain"),
    help: "A PEM file with the server's certificate chain; enables TLS on TCP endpoints.")
  var certificateChain: String?

  @Option(name: .customLong("tls-private-key"), help: "A PEM file with the private key of the certificate.")
  var privateKey: String?

  @Option(
    name: .customLong("tls-client-roots"),
    help: "A PEM file with the certificate authorities of client certificates.")
  var clientRoots: String?

  @Option(
    name: .customLong("tls-version-min"),
    help: ArgumentHelp("The minimum TLS version: 1.2 (default) or 1.3.", valueName: "version"))
  var tlsVersionMin: String?

  @Option(
    help: ArgumentHelp(
      "The server's clock: system (default), or manual, which only 'marquee clock advance' advances.",
      discussion: """
        A manual clock starts at TIME, such as 2026-03-04T08:00:00Z, or at the latest time in the data directory, \
        whichever is later. If there is neither, it starts at the system time.
        """, valueName: "system|manual[=TIME]"))
  var clock: String?

  @Option(
    name: .customLong("shutdown-grace"),
    help: "The seconds that open calls have to complete after SIGTERM (default: 10).")
  var shutdownGrace: Double?

  @Option(
    name: .customLong("retention-days"),
    help: "The minimum days of history to keep; older history is deleted (default: keep all).")
  var retentionDays: Double?

  @Option(
    name: .customLong("cached-devices-max"),
    help: "The approximate number of idle devices cached in memory (default: 20000).")
  var cachedDeviceCountMax: Int?

  @Option(
    name: .customLong("metrics-listen"),
    help: "The loopback endpoint of Prometheus metrics, such as tcp:127.0.0.1:9464 (default: off).")
  var metricsEndpoint: String?

  @Option(
    name: .customLong("metrics-host"),
    help: ArgumentHelp(
      "A further allowed Host of metrics requests, in addition to the address and localhost. Repeatable.",
      valueName: "host[:port]"))
  var metricsHosts: [String] = []

  @Option(
    name: .customLong("slow-call-threshold"),
    help: "Log unary calls that take at least this many seconds (default: off).")
  var slowCallThreshold: Double?

  @Option(
    name: .customLong("log-level"),
    help: "The log level: trace, debug, info (default), notice, warning, error or critical.")
  var logLevel: String?

  @Option(name: .customLong("config"), help: "A YAML file with settings.")
  var configurationFile: String?

  /// Runs the server or the subcommand, and exits. Errors quote the arguments, so control characters in them are escaped.
  static func main() async {
    do {
      var command = try await asyncParseAsRoot()
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
    } catch {
      guard exitCode(for: error) != .success else { exit(withError: error) }
      let text = message(for: error).visible(keepsLines: true)
      exit(withError: exitCode(for: error) == .validationFailure ? ValidationError(text) : Failure(text))
    }
  }

  /// An error that ends the process with status 1. Its first line describes it, and the others suggest next steps.
  struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
      self.description = description
    }
  }

  func run() async throws {
    MarqueeServer.raiseFileDescriptorLimit()
    let reader = ConfigReader(providers: try await providers())
    let environment = ProcessInfo.processInfo.environment
    var configuration: MarqueeConfiguration
    do {
      try SettingKeys.check(environment: environment)
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
    // Without files to reload, SIGHUP keeps its default action, so that closing the terminal stops the server.
    let hasReloadableFiles =
      configuration.accessPolicy != nil || configuration.tls != nil || environment["NOTIFY_SOCKET"] != nil
    if hasReloadableFiles { services.append(.init(service: ReloadService(server))) }
    if let registry, case .tcp(let host, let port)? = configuration.metricsEndpoint {
      let (hosts, limits) = (configuration.metricsHosts, MetricsService.Limits(configuration.metricsLimits))
      let metrics = MetricsService(registry, host: host, port: port, hosts: hosts, limits: limits, logger: logger) {
        server.recordConnectionMetrics()
      } bound: { port in
        logger.info("serving metrics", metadata: ["endpoint": "http://\(host):\(port)/metrics"])
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

  /// Reloads the server's files on each SIGHUP.
  private struct ReloadService: Service {
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
      InMemoryProvider(name: "options", values: optionValues),
      EnvironmentVariablesProvider().prefixKeys(with: "marqueed"),
    ]
    if let configurationFile {
      do { try SettingsFile.check(settingsAt: configurationFile) } catch { throw ValidationError("--\(error)") }
      do {
        providers.append(try await FileProvider<YAMLSnapshot>(filePath: .init(configurationFile)))
      } catch {
        throw ValidationError("--config: the file is not valid YAML")
      }
    }
    return providers
  }

  /// Checks that no option of the server was given, because a subcommand would ignore it.
  func checkOptionsUnused() throws(ValidationError) {
    guard optionValues.isEmpty, configurationFile == nil else {
      throw ValidationError("the server's options cannot be combined with a subcommand")
    }
  }

  /// The values of the command-line options by configuration key.
  private var optionValues: [AbsoluteConfigKey: ConfigValue] {
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
    set(["retention-days"], retentionDays.map { .double($0) })
    set(["cached-devices-max"], cachedDeviceCountMax.map { .int($0) })
    set(["metrics-listen"], metricsEndpoint.map { .string($0) })
    set(["metrics-host"], metricsHosts.isEmpty ? nil : .stringArray(metricsHosts))
    set(["tls", "version-min"], tlsVersionMin.map { .string($0) })
    set(["slow-call-threshold"], slowCallThreshold.map { .double($0) })
    set(["log-level"], logLevel.map { .string($0) })
    return values
  }

  private func logger(_ reader: ConfigReader) throws -> Logger {
    let name = reader.string(forKey: "log-level", default: "info")
    guard let level = Logger.Level(rawValue: name) else {
      throw ValidationError("\(ConfigurationError("log-level", "'\(name)' is not a log level"))")
    }
    LoggingSystem.bootstrap { QuotingLogHandler(StreamLogHandler.standardError(label: $0)) }
    var logger = Logger(label: "marqueed")
    logger.logLevel = level
    return logger
  }
}

extension MetricsService.Limits {
  /// Creates limits from the settings.
  fileprivate init(_ limits: MetricsLimits) {
    self.init()
    connectionCountMax = limits.connectionCountMax
    addressConnectionCountMax = limits.addressConnectionCountMax
    headerTimeMax = limits.headerTimeMax
    idleTimeMax = limits.idleTimeMax
  }
}
