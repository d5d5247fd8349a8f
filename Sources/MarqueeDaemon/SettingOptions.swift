import ArgumentParser
import Configuration
import MarqueeServer

/// The options of `marqueed` that are settings, with the names and descriptions of ``Setting``.
struct SettingOptions: ParsableArguments {
  @Option(name: .setting(.dataDirectory), help: .setting(.dataDirectory))
  var dataDirectory: String?

  @Option(name: .setting(.store), help: .setting(.store))
  var store: String?

  @Option(name: .setting(.storePasswordFile), help: .setting(.storePasswordFile))
  var storePasswordFile: String?

  @Option(name: .setting(.keys), help: .setting(.keys))
  var keys: String?

  @Option(name: .setting(.endpoints), help: .setting(.endpoints))
  var endpoints: [String] = []

  @Option(name: .setting(.protocols), help: .setting(.protocols))
  var protocols: [String] = []

  @Option(name: .setting(.hosts), help: .setting(.hosts))
  var hosts: [String] = []

  @Option(name: .setting(.origins), help: .setting(.origins))
  var origins: [String] = []

  @Option(name: .setting(.console), help: .setting(.console))
  var servesConsole: Bool?

  @Option(name: .setting(.accessPolicy), help: .setting(.accessPolicy))
  var accessPolicy: String?

  @Option(name: .setting(.socketMode), help: .setting(.socketMode))
  var socketMode: String?

  @Flag(name: .setting(.allowRemote), help: .setting(.allowRemote))
  var isRemoteAllowed = false

  @Flag(name: .setting(.allowPlaintext), help: .setting(.allowPlaintext))
  var isPlaintextAllowed = false

  @Option(name: .setting(.clock), help: .setting(.clock))
  var clock: String?

  @Option(name: .setting(.shutdownGrace), help: .setting(.shutdownGrace))
  var shutdownGrace: Double?

  @Option(name: .setting(.retentionDays), help: .setting(.retentionDays))
  var retentionDays: Double?

  @Option(name: .setting(.cachedDeviceCountMax), help: .setting(.cachedDeviceCountMax))
  var cachedDeviceCountMax: Int?

  @Option(name: .setting(.metricsEndpoint), help: .setting(.metricsEndpoint))
  var metricsEndpoint: String?

  @Option(name: .setting(.metricsHosts), help: .setting(.metricsHosts))
  var metricsHosts: [String] = []

  @Option(name: .setting(.slowCallThreshold), help: .setting(.slowCallThreshold))
  var slowCallThreshold: Double?

  @Option(name: .setting(.logLevel), help: .setting(.logLevel))
  var logLevel: String?

  @Option(name: .setting(.clusterNode), help: .setting(.clusterNode))
  var clusterNode: String?

  @Option(name: .setting(.clusterAddress), help: .setting(.clusterAddress))
  var clusterAddress: String?

  @Option(name: .setting(.clusterAdvertise), help: .setting(.clusterAdvertise))
  var clusterAdvertise: String?

  @Option(name: .setting(.clusterLease), help: .setting(.clusterLease))
  var clusterLease: Double?

  @Option(name: .setting(.clusterShardCount), help: .setting(.clusterShardCount))
  var clusterShardCount: Int?

  @Option(name: .setting(.clusterTokenFile), help: .setting(.clusterTokenFile))
  var clusterTokenFile: String?

  @Option(name: .setting(.clusterTLSRoots), help: .setting(.clusterTLSRoots))
  var clusterTLSRoots: String?

  @Option(name: .setting(.certificateChain), help: .setting(.certificateChain))
  var certificateChain: String?

  @Option(name: .setting(.privateKey), help: .setting(.privateKey))
  var privateKey: String?

  @Option(name: .setting(.clientRoots), help: .setting(.clientRoots))
  var clientRoots: String?

  @Option(name: .setting(.tlsVersionMin), help: .setting(.tlsVersionMin))
  var tlsVersionMin: String?

  /// The values of the given options by configuration key.
  var values: [AbsoluteConfigKey: ConfigValue] {
    var values: [AbsoluteConfigKey: ConfigValue] = [:]
    func set(_ setting: Setting, _ value: ConfigContent?) {
      let key = AbsoluteConfigKey(setting.key.split(separator: ".").map(String.init))
      if let value { values[key] = ConfigValue(value, isSecret: setting.key == Setting.store.key) }
    }
    set(.dataDirectory, dataDirectory.map { .string($0) })
    set(.store, store.map { .string($0) })
    set(.storePasswordFile, storePasswordFile.map { .string($0) })
    set(.keys, keys.map { .string($0) })
    set(.endpoints, endpoints.isEmpty ? nil : .stringArray(endpoints))
    set(.protocols, protocols.isEmpty ? nil : .stringArray(protocols))
    set(.hosts, hosts.isEmpty ? nil : .stringArray(hosts))
    set(.origins, origins.isEmpty ? nil : .stringArray(origins))
    set(.console, servesConsole.map { .bool($0) })
    set(.accessPolicy, accessPolicy.map { .string($0) })
    set(.socketMode, socketMode.map { .string($0) })
    set(.allowRemote, isRemoteAllowed ? .bool(true) : nil)
    set(.allowPlaintext, isPlaintextAllowed ? .bool(true) : nil)
    set(.clock, clock.map { .string($0) })
    set(.shutdownGrace, shutdownGrace.map { .double($0) })
    set(.retentionDays, retentionDays.map { .double($0) })
    set(.cachedDeviceCountMax, cachedDeviceCountMax.map { .int($0) })
    set(.metricsEndpoint, metricsEndpoint.map { .string($0) })
    set(.metricsHosts, metricsHosts.isEmpty ? nil : .stringArray(metricsHosts))
    set(.slowCallThreshold, slowCallThreshold.map { .double($0) })
    set(.logLevel, logLevel.map { .string($0) })
    set(.clusterNode, clusterNode.map { .string($0) })
    set(.clusterAddress, clusterAddress.map { .string($0) })
    set(.clusterAdvertise, clusterAdvertise.map { .string($0) })
    set(.clusterLease, clusterLease.map { .double($0) })
    set(.clusterShardCount, clusterShardCount.map { .int($0) })
    set(.clusterTokenFile, clusterTokenFile.map { .string($0) })
    set(.clusterTLSRoots, clusterTLSRoots.map { .string($0) })
    set(.certificateChain, certificateChain.map { .string($0) })
    set(.privateKey, privateKey.map { .string($0) })
    set(.clientRoots, clientRoots.map { .string($0) })
    set(.tlsVersionMin, tlsVersionMin.map { .string($0) })
    return values
  }
}

extension NameSpecification {
  fileprivate static func setting(_ setting: Setting) -> NameSpecification { .customLong(setting.option) }
}

extension ArgumentHelp {
  fileprivate static func setting(_ setting: Setting) -> ArgumentHelp {
    ArgumentHelp(
      setting.help, discussion: setting.details.isEmpty ? nil : setting.details, valueName: setting.valueName)
  }
}
