import Configuration
import MarqueeHTTP
import MarqueeJournal
import MarqueeModel
import MarqueeScheduler
import MarqueeSimulator
import MarqueeTransport

/// The settings of a server.
public struct MarqueeConfiguration: Sendable {
  /// The path of the data directory, which is created if it does not exist.
  public var dataDirectory: String
  /// The PostgreSQL database of the devices; `nil` for SQLite in the data directory.
  public var postgres: PostgresChoice?
  /// The cluster of which the server is a node; `nil` for a server that has the database to itself.
  public var cluster: ClusterChoice?
  /// The endpoints to listen on; at least one.
  public var endpoints: [Endpoint]
  /// The protocols of clients on every endpoint; at least one.
  public var protocols: Set<CallProtocol> {
    get { transport.protocols }
    set { transport.protocols = newValue }
  }
  /// Further hosts that requests of Connect and gRPC-Web may name, besides loopback names and the bound address.
  public var hosts: [String] = []
  /// The origins of web pages that may call the server, such as `https://home.example.com`.
  public var origins: [String] = []
  /// Listening sockets inherited from systemd, each bound to one of the endpoints.
  package var inheritedSockets = InheritedSockets()
  /// Whether TCP endpoints on non-loopback addresses are allowed. They require TLS.
  public var isRemoteAllowed = false
  /// Whether TCP endpoints on non-loopback addresses are allowed without TLS, which exposes all traffic, including
  /// bearer tokens, to the network.
  public var isPlaintextAllowed = false
  /// Whether the console is served: pages for browsers, beside calls of the Connect protocol.
  public var servesConsole = true
  /// The path of the access policy, a YAML file described in the article *Access* of MarqueeDaemon.
  ///
  /// Without one, only root and the server's own user have access, over Unix sockets.
  public var accessPolicy: String?
  /// The TLS identity of the TCP endpoints; `nil` for plaintext.
  public var tls: TLSFiles?
  /// The time that open calls have to complete during a graceful shutdown.
  public var shutdownGrace = Duration.seconds(10)
  /// The loopback endpoint that serves Prometheus metrics; `nil` for none.
  public var metricsEndpoint: Endpoint?
  /// Further values of `Host` that metrics requests may have, such as `metrics.local` or `localhost:8080`.
  ///
  /// The endpoint's address and the loopback names are always allowed. A host without a port also allows the endpoint's
  /// port.
  public var metricsHosts: [String] = []
  /// The connection and time limits of the metrics endpoint.
  public var metricsLimits = MetricsLimits()
  /// The minimum duration of unary calls that are logged; `nil` to log none.
  public var slowCallThreshold: Duration?
  /// The minimum age of history that is deleted; `nil` to keep all history.
  public var retention: TimeSpan?
  /// The approximate number of idle devices cached in memory. Evicted devices are loaded again when needed.
  public var cachedDeviceCountMax = 20_000
  /// The clock that the server uses.
  public var clock = ClockChoice.system
  /// The policy of every device, unless overridden.
  public var policy = Policy.default
  /// The limits per device.
  public var limits = Limits.default
  /// The maximum number of devices.
  public var deviceCountMax = 1_000_000
  /// The maximum number of requests queued for one shard.
  public var queuedEventCountMax = 4_096
  /// The maximum size of content and donations in the requests queued for one shard, in bytes.
  public var queuedContentSizeMax = 268_435_456
  /// The maximum number of donations per minute that a device relearns from because of one app's events.
  public var relearnedDonationRateMax = 1_000_000
  /// The memory budgets of uncommitted timelines.
  package var timelineSizes = TimelineBudgets.Sizes()
  /// The maximum burst of one app's writes to one device, in bytes.
  public var appWriteSizeBurst = 100_663_296
  /// The sustained rate of one app's writes to one device, in bytes per hour.
  public var appWriteSizeHourly = 67_108_864
  /// The transport's limits, some of which are settings.
  package var transport = ServerConfiguration()

  /// The files of a TLS identity.
  public struct TLSFiles: Sendable {
    /// The path of a PEM file with the certificate, followed by its intermediate certificates.
    public var certificateChain: String
    /// The path of a PEM file with the private key.
    public var privateKey: String
    /// The path of a PEM file with the certificate authorities of clients; `nil` to request no client certificates.
    public var clientRoots: String?
    /// The minimum TLS version. The newest version that both sides support is negotiated.
    public var versionMin = Version.tls12

    /// A minimum TLS version.
    public enum Version: String, Sendable {
      case tls12 = "1.2"
      case tls13 = "1.3"
    }

    /// Creates an identity with the paths of its files.
    public init(certificateChain: String, privateKey: String, clientRoots: String? = nil) {
      self.certificateChain = certificateChain
      self.privateKey = privateKey
      self.clientRoots = clientRoots
    }
  }

  /// Creates a configuration with the defaults.
  public init(dataDirectory: String, endpoints: [Endpoint]) {
    self.dataDirectory = dataDirectory
    self.endpoints = endpoints
  }

  /// Inherits the sockets that systemd opened for the process (`LISTEN_FDS`).
  ///
  /// - Parameter environment: The environment variables of the process.
  /// - Throws: ``ConfigurationError`` if a variable or a socket is invalid.
  public mutating func inheritSockets(by environment: [String: String]) throws(ConfigurationError) {
    do {
      inheritedSockets = try InheritedSockets(environment: environment)
    } catch {
      throw ConfigurationError("listen", error.description)
    }
  }

  /// Validates the settings.
  ///
  /// - Throws: ``ConfigurationError`` if there is no endpoint, a non-loopback endpoint is not allowed, or a number is
  ///   out of range.
  public func check() throws(ConfigurationError) {
    guard !endpoints.isEmpty else { throw ConfigurationError("listen", "no endpoint configured") }
    for endpoint in endpoints where !endpoint.isLocal {
      guard isRemoteAllowed else {
        throw ConfigurationError(
          "listen", "\(endpoint) is not a loopback address; set allow-remote to allow remote clients")
      }
      guard tls != nil || isPlaintextAllowed else {
        throw ConfigurationError(
          "listen", "\(endpoint) is not a loopback address; set tls, or allow-plaintext to serve it unencrypted")
      }
    }
    switch metricsEndpoint {
    case nil: break
    case let endpoint? where endpoint.isTCP && endpoint.isLocal: break
    default: throw ConfigurationError("metrics-listen", "must be a loopback TCP address such as tcp:127.0.0.1:9464")
    }
    for host in metricsHosts where host.isEmpty || !host.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != 0x2F }) {
      throw ConfigurationError("metrics-host", "'\(host)' is not an ASCII host name such as localhost:8080")
    }
    guard !protocols.isEmpty else { throw ConfigurationError("protocols", "no protocol configured") }
    guard cluster == nil || !clock.isManual else {
      throw ConfigurationError("clock", "must be system in a cluster, whose nodes have one time")
    }
    guard cluster == nil || postgres != nil else {
      throw ConfigurationError("cluster", "must not be set without store: SQLite has one server")
    }
    try checkOrigins()
    try Self.check(shutdownGrace, "shutdown-grace")
    if let slowCallThreshold { try Self.check(slowCallThreshold, "slow-call-threshold") }
    if cachedDeviceCountMax < 1 {
      throw ConfigurationError("cached-devices-max", "\(cachedDeviceCountMax) is out of range: must be at least 1")
    }
    for entry in LimitEntry.all {
      guard case .setting(let path, let range) = entry.source, !range.contains(self[keyPath: path]) else { continue }
      throw ConfigurationError(
        "limits.\(entry.name)",
        "\(self[keyPath: path]) is out of range: must be \(LimitEntry.words(for: range))")
    }
    do {
      try policy.check()
    } catch {
      throw ConfigurationError("policy.\(error.field.replacing("_", with: "-"))", error.reason)
    }
  }
}

extension MarqueeConfiguration {
  private func checkOrigins() throws(ConfigurationError) {
    for host in hosts where !Origins.isHost(host) {
      throw ConfigurationError("hosts", "'\(host)' is not a host name or an address without a port")
    }
    for origin in origins where !Origins.isOrigin(origin) {
      throw ConfigurationError("origins", "'\(origin)' is not an origin such as https://home.example.com")
    }
    for (key, values) in [("hosts", hosts), ("origins", origins)] where values.count > Origins.countMax {
      throw ConfigurationError(key, "\(values.count) values exceed the limit (\(key)-count-max: \(Origins.countMax))")
    }
  }

  /// The hosts and origins of requests of Connect and gRPC-Web, including the hosts of the endpoints.
  var allowedOrigins: Origins {
    var names = hosts
    for case .tcp(let host, _) in endpoints where host != "0.0.0.0" && host != "::" {
      names.append(host.contains(":") ? "[\(host)]" : host)
    }
    return Origins(hosts: names, origins: origins)
  }

  /// The maximum of settings that are times, in seconds.
  static let settingTimeMax = 86_400

  private static func check(_ time: Duration, _ key: String) throws(ConfigurationError) {
    guard time >= .zero, time <= .seconds(settingTimeMax) else {
      throw ConfigurationError(key, "\(time) is out of range: must be 0 to \(settingTimeMax) seconds")
    }
  }
}

/// An error about an invalid setting.
public struct ConfigurationError: Error, CustomStringConvertible {
  /// The key of the setting, such as `policy.dwell`.
  public let key: String
  /// The reason why the value is invalid.
  public let reason: String

  /// Creates an error for a setting.
  ///
  /// Both texts are truncated to a bounded length, and control characters are escaped, since they may quote input.
  public init(_ key: String, _ reason: String) {
    self.key = key.visible(sizeMax: String.quotedSizeMax)
    self.reason = reason.visible(sizeMax: 4 * String.quotedSizeMax)
  }

  public var description: String { "\(key): \(reason)" }
}

extension MarqueeConfiguration {
  /// Reads the settings from `reader`, whose first provider of a key takes precedence.
  ///
  /// The keys are those in the output of `marqueed settings`, except `log-level`.
  ///
  /// - Throws: ``ConfigurationError`` if a setting is missing or invalid.
  public init(reading reader: ConfigReader) throws {
    guard let dataDirectory = try reader.text("data-dir") else {
      throw ConfigurationError("data-dir", "required setting is missing")
    }
    var endpoints: [Endpoint] = []
    for text in reader.stringArray(forKey: "listen", default: []) {
      do { endpoints.append(try Endpoint(text)) } catch { throw ConfigurationError("listen", "\(error)") }
    }
    self.init(dataDirectory: dataDirectory, endpoints: endpoints)
    try readStore(reader)
    try readCluster(reader)
    try readProtocols(reader)
    hosts = reader.stringArray(forKey: "hosts", default: [])
    origins = reader.stringArray(forKey: "origins", default: [])
    servesConsole = try reader.flag("console") ?? servesConsole
    isRemoteAllowed = try reader.flag("allow-remote") ?? isRemoteAllowed
    shutdownGrace = try reader.time("shutdown-grace") ?? shutdownGrace
    isPlaintextAllowed = try reader.flag("allow-plaintext") ?? isPlaintextAllowed
    accessPolicy = try reader.text("access-policy")
    if let text = try reader.text("socket-mode") ?? reader.int(forKey: "socket-mode").map(String.init) {
      transport.unixSocketMode = try Self.mode(text)
    }
    slowCallThreshold = try reader.time("slow-call-threshold")
    if let days = try reader.number("retention-days") {
      guard days > 0, let span = TimeSpan(seconds: days * 86_400) else {
        throw ConfigurationError("retention-days", "\(days) is not a valid number of days: must be positive")
      }
      retention = span
    }
    cachedDeviceCountMax = try reader.count("cached-devices-max") ?? cachedDeviceCountMax
    if let text = try reader.text("metrics-listen") {
      do { metricsEndpoint = try Endpoint(text) } catch { throw ConfigurationError("metrics-listen", "\(error)") }
    }
    metricsHosts = reader.stringArray(forKey: "metrics-host", default: [])
    // A single host may also be set as a string.
    if metricsHosts.isEmpty, let host = try reader.text("metrics-host") { metricsHosts = [host] }
    try readTLS(reader)
    if let text = try reader.text("clock") { clock = try ClockChoice(text) }
    try Self.inSection("policy") { try readPolicy(reader.scoped(to: "policy")) }
    try Self.inSection("limits") { try readLimits(reader.scoped(to: "limits")) }
    try check()
  }

  private mutating func readStore(_ reader: ConfigReader) throws {
    let keys = try reader.text("keys")
    let passwordFile = try reader.text("store-password-file")
    guard let text = try reader.text("store") else {
      for (key, value) in [("keys", keys), ("store-password-file", passwordFile)] where value != nil {
        throw ConfigurationError(key, "must not be set without store")
      }
      return
    }
    postgres = try PostgresChoice(text, passwordFile: passwordFile, keys: keys)
  }

  private mutating func readCluster(_ reader: ConfigReader) throws {
    let address = try reader.text("cluster.address")
    let advertisedAddress = try reader.text("cluster.advertise")
    let timeToLive = try reader.time("cluster.lease")
    let shardCount = try reader.count("cluster.shard-count")
    let tokenFile = try reader.text("cluster.token-file")
    let tlsRoots = try reader.text("cluster.tls-roots")
    guard let node = try reader.text("cluster.node") else {
      guard [address, advertisedAddress, tokenFile, tlsRoots].allSatisfy({ $0 == nil }), timeToLive == nil,
        shardCount == nil
      else {
        throw ConfigurationError("cluster.node", "required setting is missing: the others of cluster need it")
      }
      return
    }
    var choice = try ClusterChoice(
      node, address: address, advertisedAddress: advertisedAddress,
      timeToLive: timeToLive ?? ClusterChoice.timeToLiveDefault, shardCount: shardCount ?? ShardID.countDefault)
    choice.tokenFile = tokenFile
    choice.tlsRoots = tlsRoots
    cluster = choice
  }

  private mutating func readProtocols(_ reader: ConfigReader) throws(ConfigurationError) {
    guard let names = reader.stringArray(forKey: "protocols") else { return }
    protocols = []
    for name in names {
      guard let known = CallProtocol(rawValue: name) else {
        let all = CallProtocol.allCases.map(\.rawValue).joined(separator: ", ")
        throw ConfigurationError("protocols", "'\(name)' is not one of \(all)")
      }
      guard protocols.insert(known).inserted else { throw ConfigurationError("protocols", "duplicate value '\(name)'") }
    }
  }

  /// Parses a socket's file mode such as `660`: no execute permissions, and read and write for the owner.
  private static func mode(_ text: String) throws(ConfigurationError) -> UInt32 {
    guard let mode = UInt32(text, radix: 8), mode & ~0o666 == 0, mode & 0o600 == 0o600 else {
      throw ConfigurationError("socket-mode", "'\(text)' is not a socket mode such as 600, 660 or 666")
    }
    return mode
  }

  /// Loads the access policy; returns an empty one if none is configured.
  func readAccessPolicy() async throws -> AccessPolicy {
    guard let accessPolicy else { return AccessPolicy() }
    return try await AccessPolicyReader.policy(at: accessPolicy)
  }

  /// The names of the limits that can be set as `limits.NAME`, in the order of the documentation.
  public static var limitNames: [String] {
    LimitEntry.all.compactMap { entry in if case .setting = entry.source { entry.name } else { nil } }
  }

  /// Returns the value of a limit, or `nil` if no setting has that name.
  public subscript(limit name: String) -> Int? {
    for entry in LimitEntry.all where entry.name == name {
      if case .setting(let path, _) = entry.source { return self[keyPath: path] }
    }
    return nil
  }

  /// Runs `body` and prefixes the keys in its errors with the name of a section.
  private static func inSection(_ part: String, _ body: () throws -> Void) throws {
    do {
      try body()
    } catch let error as ConfigurationError {
      throw ConfigurationError("\(part).\(error.key)", error.reason)
    }
  }

  private mutating func readTLS(_ reader: ConfigReader) throws {
    let roots = try reader.text("tls.client-roots")
    let version = try reader.text("tls.version-min") ?? reader.number("tls.version-min").map { "\($0)" }
    switch (try reader.text("tls.certificate-chain"), try reader.text("tls.private-key")) {
    case (nil, nil) where roots == nil && version == nil: break
    case (nil, nil) where roots == nil:
      throw ConfigurationError(
        "tls.version-min", "must not be set without certificate-chain and private-key: no endpoint would use TLS")
    case (let chain?, let key?):
      tls = TLSFiles(certificateChain: chain, privateKey: key, clientRoots: roots)
      guard let version else { return }
      guard let known = TLSFiles.Version(rawValue: version) else {
        throw ConfigurationError("tls.version-min", "'\(version)' is not one of 1.2, 1.3")
      }
      tls?.versionMin = known
    default:
      throw ConfigurationError(
        "tls", "certificate-chain and private-key must be set together, and are required by client-roots")
    }
  }

  private mutating func readPolicy(_ reader: ConfigReader) throws {
    for field in PolicyField.all {
      let key = field.name.replacing("_", with: "-")
      let (name, isTime) = (ConfigKey(key), field.unit == .seconds)
      guard let number = try isTime ? reader.secondCount(name) : reader.number(name) else { continue }
      do { try field.set(number, in: &policy) } catch { throw ConfigurationError(key, error.reason) }
    }
  }

  private mutating func readLimits(_ reader: ConfigReader) throws {
    for entry in LimitEntry.all {
      guard case .setting(let path, _) = entry.source, let count = try reader.count(ConfigKey(entry.name)) else {
        continue
      }
      self[keyPath: path] = count
    }
  }
}

extension ConfigReader {
  fileprivate func text(_ key: ConfigKey) throws -> String? {
    string(forKey: key)
  }

  /// Returns a number, also if it is given as text; throws if the value is not a number.
  fileprivate func number(_ key: ConfigKey) throws -> Double? {
    if let number = double(forKey: key) { return number }
    if let number = int(forKey: key) { return Double(number) }
    guard string(forKey: key) != nil || bool(forKey: key) != nil else { return nil }
    throw ConfigurationError(key.dotted, "must be a number")
  }

  /// Returns a number of seconds, which can be given as a text such as `5m` or `1h30m`, too.
  fileprivate func secondCount(_ key: ConfigKey) throws -> Double? {
    if let number = double(forKey: key) ?? int(forKey: key).map(Double.init) { return number }
    guard let text = string(forKey: key), let span = TimeSpan(text: text) else {
      guard string(forKey: key) != nil || bool(forKey: key) != nil else { return nil }
      throw ConfigurationError(key.dotted, "must be a number of seconds, or a duration such as 5m or 1h30m")
    }
    return span.seconds
  }

  /// Returns a time in seconds. `check()` verifies its range.
  fileprivate func time(_ key: ConfigKey) throws -> Duration? {
    guard let seconds = try secondCount(key) else { return nil }
    guard let span = TimeSpan(seconds: seconds) else {
      throw ConfigurationError(
        key.dotted, "\(seconds) is out of range: must be 0 to \(MarqueeConfiguration.settingTimeMax) seconds")
    }
    return .milliseconds(span.milliseconds)
  }

  fileprivate func count(_ key: ConfigKey) throws -> Int? {
    guard let number = try number(key) else { return nil }
    guard let count = Int(exactly: number), count >= 0 else {
      throw ConfigurationError(key.dotted, "\(number) is not a nonnegative integer")
    }
    return count
  }

  fileprivate func flag(_ key: ConfigKey) throws -> Bool? {
    if let flag = bool(forKey: key) { return flag }
    guard string(forKey: key) != nil || double(forKey: key) != nil else { return nil }
    throw ConfigurationError(key.dotted, "must be true or false")
  }
}

extension ConfigKey {
  fileprivate var dotted: String { components.joined(separator: ".") }
}
