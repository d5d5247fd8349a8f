import ArgumentParser
import Configuration
import Foundation
import Logging
import MarqueeFiles
import MarqueeJournal
import MarqueeModel
import MarqueePrometheus
import MarqueeServer
import MarqueeTerminal
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
    abstract: "Run a Marquee server, verify, restore or import its data, rotate its keys, or print its settings.",
    usage: """
      marqueed <options>
      marqueed verify <path> [--json]
      marqueed verify --store postgres:<conninfo> --keys <directory> [--json]
      marqueed restore <file> <directory>
      marqueed keys list|rotate --store postgres:<conninfo> --keys <directory>
      marqueed import <directory> --store postgres:<conninfo> --keys <directory>
      marqueed cluster init --store postgres:<conninfo> --keys <directory> [--shard-count <count>]
      marqueed settings
      """,
    discussion: """
      Every option can also be set as an environment variable (MARQUEED_DATA_DIR for --data-dir) or as a key of the \
      YAML file given by --config (data-dir). Options take precedence over variables, and variables over the file. \
      Policy fields are set as policy.dwell in the file or as MARQUEED_POLICY_DWELL, limits as limits.stack-count-max \
      or MARQUEED_LIMITS_STACK_COUNT_MAX.
      """,
    version: MarqueeVersion.current,
    subcommands: [
      VerifyCommand.self, RestoreCommand.self, KeysCommand.self, ImportCommand.self, ClusterCommand.self,
      SettingsCommand.self,
    ])

  @OptionGroup var options: SettingOptions

  @Option(name: .customLong("config"), help: "A YAML file with settings.")
  var configurationFile: String?

  /// Runs the server or the subcommand, and exits.
  ///
  /// Errors quote the arguments, so control characters in them are escaped.
  static func main() async {
    do {
      var command = try await asyncParseAsRoot()
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
    } catch let refusal as Refusal {
      Terminal.standard.writeError(["Error: \(refusal.reason.visible())"])
      Foundation.exit(Refusal.status)
    } catch {
      guard exitCode(for: error) != .success else { exit(withError: error) }
      let isUsageError = exitCode(for: error) == .validationFailure
      let unknown = isUsageError ? unknownCommand(in: CommandLine.arguments.dropFirst()) : nil
      let reason = unknown ?? message(for: error)
      // Of all commands, only "verify" has the option.
      guard !CommandLine.arguments.contains("--json") else {
        Terminal.standard.writeError(json(reason, isUsageError: isUsageError))
        exit(withError: exitCode(for: error))
      }
      let text = reason.visible(keepsLines: true)
      exit(withError: isUsageError ? ValidationError(text) : Failure(text))
    }
  }

  /// Returns the error for a mistyped subcommand; `nil` if the first argument is a subcommand or an option.
  ///
  /// The argument parser would report the name as an unexpected argument, or an option after it as unknown.
  private static func unknownCommand(in arguments: some Sequence<String>) -> String? {
    let known = configuration.subcommands.map { $0._commandName } + ["help"]
    guard let name = arguments.first(where: { _ in true }), !name.hasPrefix("-"), !known.contains(name) else {
      return nil
    }
    let near = EditDistance.nearest(to: name, among: known).map { "\"\($0)\"" }.joined(separator: " or ")
    return "no command is called \"\(name)\"" + (near.isEmpty ? "" : "\nDid you mean \(near)?")
  }

  /// Returns an error as JSON, described in the article *JSON output* of MarqueeCLI.
  private static func json(_ message: String, isUsageError: Bool) -> JSONValue {
    let lines = message.split(separator: "\n").map { JSONValue.string(String($0)) }
    let code = isUsageError ? "INVALID_ARGUMENT" : "FAILED_PRECONDITION"
    return .object([
      .init(
        "error",
        .object([
          .init("code", .string(code)), .init("message", lines.first ?? .string("")),
          .init("hints", .array(Array(lines.dropFirst()))),
        ]))
    ])
  }

  /// An error that ends the process with status 1. Its first line describes it, and the others suggest next steps.
  struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
      self.description = description
    }
  }

  /// An error of the database or its settings with which a server does not start, and which a restart does not mend.
  /// It ends the process with one line.
  struct Refusal: Error {
    /// `EX_CONFIG` of sysexits.h.
    static let status: Int32 = 78

    let reason: String

    /// Creates the refusal for an error of a setting, or returns `nil` for settings that are not the database's.
    init?(_ error: ConfigurationError) {
      let keys = PostgresChoice.settingKeys.union(ClusterChoice.settingKeys).union(["cluster"])
      guard keys.contains(error.key) else { return nil }
      reason = "\(error)"
    }

    /// Creates the refusal for an error of the database, or returns `nil` if a later attempt may succeed.
    init?(_ error: JournalError) {
      guard [.refused, .schemaTooNew].contains(error.code) else { return nil }
      reason = error.message
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
      throw Refusal(error) ?? ValidationError("\(error)")
    }
    let logger = try logger(reader)
    let registry = configuration.metricsEndpoint.map { _ in MetricsRegistry(help: MarqueeServer.metricHelp) }
    let server = try await server(configuration, logger, registry ?? NOOPMetricsHandler.instance)
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

  private func server(
    _ configuration: MarqueeConfiguration, _ logger: Logger, _ metrics: any MetricsFactory
  ) async throws -> MarqueeServer {
    do {
      return try await MarqueeServer.open(configuration: configuration, logger: logger, metrics: metrics)
    } catch let error as JournalError where configuration.postgres != nil {
      throw Refusal(error) ?? Failure(error.message)
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
      InMemoryProvider(name: "options", values: options.values),
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

  /// Returns the database that the options name, or `nil` without the option `--store`.
  func database() throws(ConfigurationError) -> PostgresChoice? {
    guard let store = options.store else { return nil }
    return try PostgresChoice(store, passwordFile: options.storePasswordFile, keys: options.keys)
  }

  /// Returns the database of a subcommand that needs one.
  ///
  /// - Throws: `JournalError` `refused`.
  func requiredDatabase() throws(JournalError) -> PostgresChoice {
    do throws(ConfigurationError) {
      if let database = try database() { return database }
      throw ConfigurationError("store", "--store is required; configuration files and the environment are not read")
    } catch {
      throw JournalError(.refused, "\(error)")
    }
  }

  /// Checks that no option of the server was given, because a subcommand would ignore it.
  ///
  /// - Parameter acceptsStore: Whether the subcommand has the options of a database.
  func checkOptionsUnused(acceptsStore: Bool = false) throws(ValidationError) {
    let accepted = acceptsStore ? PostgresChoice.settingKeys : []
    let isUnused = options.values.keys.allSatisfy { accepted.contains($0.components.joined(separator: ".")) }
    guard isUnused, configurationFile == nil else {
      throw ValidationError("the server's options cannot be combined with a subcommand")
    }
  }

  private func logger(_ reader: ConfigReader) throws -> Logger {
    let name = reader.string(forKey: ConfigKey(Setting.logLevel.key), default: Setting.logLevel.defaultValue)
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
