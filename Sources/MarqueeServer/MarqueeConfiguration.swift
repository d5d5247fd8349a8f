import Configuration
import MarqueeModel
import MarqueeScheduler
import MarqueeTransport

/// What an operator sets: where to keep data, where to listen, and the numbers of the rules.
public struct MarqueeConfiguration: Sendable {
  /// The directory that holds everything that survives a restart. Made if it is not there.
  public var dataDirectory: String
  /// Where to listen; at least one place.
  public var endpoints: [Endpoint]
  /// Sockets that listen already, each at one of the endpoints.
  package var inheritedSockets = InheritedSockets()
  /// Whether TCP endpoints beyond loopback are allowed; they use TLS.
  public var isRemoteAllowed = false
  /// Whether TCP endpoints beyond loopback may do without TLS: whoever is on the way reads all, and tokens too.
  public var isPlaintextAllowed = false
  /// The path of the YAML file that says who may do what, as *Access* in MarqueeDaemon tells; without one, only root
  /// and the user that the server runs as may do anything, through Unix sockets.
  public var accessPolicy: String?
  /// PEM files with the certificate chain and the private key that TCP endpoints use TLS with; `nil` for none.
  public var tls: TLSFiles?
  /// How long open calls may go on after a request to stop.
  public var shutdownGrace = Duration.seconds(10)
  /// Where metrics can be read, on loopback; `nil` for nowhere.
  public var metricsEndpoint: Endpoint?
  /// From which time on a call that does not stream is logged; `nil` for none.
  public var slowCallTimeMin: Duration?
  /// How much of the past can be asked for, at least; `nil` for all of it.
  public var historySpan: TimeSpan?
  /// Devices that are kept in memory, about, though nothing happens to them; those beyond are read again when needed.
  public var loadedDeviceCountMax = 20_000
  /// The clock that the server goes by.
  public var clock = ClockChoice.system
  /// The numbers of the rules, for every device.
  public var policy = Policy.standard
  /// How much of everything one device may hold.
  public var limits = Limits.standard
  /// Devices that may exist.
  public var deviceCountMax = 1_000_000
  /// Requests that may wait for one of the loops.
  public var queuedEventCountMax = 4_096
  /// Bytes of content and donations in requests that may wait for one of the loops.
  public var queuedContentSizeMax = 268_435_456
  /// What connections may ask for and how long they may take; of these, settings have some sizes and counts.
  package var transport = ServerConfiguration()

  /// Files of a TLS identity.
  public struct TLSFiles: Sendable {
    /// The path of a PEM file with the certificate, then those that lead to its root.
    public var certificateChain: String
    /// The path of a PEM file with the private key.
    public var privateKey: String
    /// The path of a PEM file with the certificates of those who sign clients' certificates; `nil` to ask for none.
    public var clientRoots: String?

    /// An identity in those files.
    public init(certificateChain: String, privateKey: String, clientRoots: String? = nil) {
      self.certificateChain = certificateChain
      self.privateKey = privateKey
      self.clientRoots = clientRoots
    }
  }

  /// A configuration with the defaults.
  public init(dataDirectory: String, endpoints: [Endpoint]) {
    self.dataDirectory = dataDirectory
    self.endpoints = endpoints
  }

  /// Takes over the sockets that systemd has opened for this process, as the environment tells (`LISTEN_FDS`).
  public mutating func inheritSockets(by environment: [String: String]) throws(ConfigurationError) {
    do {
      inheritedSockets = try InheritedSockets(environment: environment)
    } catch {
      throw ConfigurationError("listen", error.description)
    }
  }

  /// Refuses what cannot be meant: no endpoint, TCP beyond loopback unless allowed, numbers outside their ranges.
  public func check() throws(ConfigurationError) {
    guard !endpoints.isEmpty else { throw ConfigurationError("listen", "no endpoint to listen on") }
    for endpoint in endpoints where !endpoint.isLocal {
      guard isRemoteAllowed else {
        throw ConfigurationError(
          "listen", "\(endpoint) is not a loopback address; set allow-remote to listen beyond this machine")
      }
      guard tls != nil || isPlaintextAllowed else {
        throw ConfigurationError(
          "listen", "\(endpoint) is beyond this machine; set tls, or allow-plaintext to let others read along")
      }
    }
    switch metricsEndpoint {
    case nil: break
    case let endpoint? where endpoint.isTCP && endpoint.isLocal: break
    default: throw ConfigurationError("metrics-listen", "not a TCP address of loopback, such as tcp:127.0.0.1:9464")
    }
    if let slowCallTimeMin, slowCallTimeMin < .zero {
      throw ConfigurationError("slow-call", "\(slowCallTimeMin) is negative")
    }
    if loadedDeviceCountMax < 1 {
      throw ConfigurationError("loaded-devices", "\(loadedDeviceCountMax) is not 1 or more")
    }
    for entry in LimitEntry.all {
      guard case .setting(let path, let range) = entry.source, !range.contains(self[keyPath: path]) else { continue }
      let upper = range.upperBound == .max ? "or more" : "to \(range.upperBound)"
      throw ConfigurationError("limits.\(entry.name)", "\(self[keyPath: path]) is not \(range.lowerBound) \(upper)")
    }
    guard shutdownGrace >= .zero else { throw ConfigurationError("shutdown-grace", "\(shutdownGrace) is negative") }
    do {
      try policy.check()
    } catch {
      throw ConfigurationError("policy.\(error.field.replacing("_", with: "-"))", error.reason)
    }
  }
}

/// A setting that cannot be used, by its key.
public struct ConfigurationError: Error, CustomStringConvertible {
  /// The key, such as `policy.dwell`.
  public let key: String
  /// What is wrong with its value.
  public let reason: String

  init(_ key: String, _ reason: String) {
    self.key = key
    self.reason = reason
  }

  public var description: String { "\(key): \(reason)" }
}

extension MarqueeConfiguration {
  /// Reads the settings from `reader`, whose providers are asked in their order. Keys are dotted and kebab-case:
  /// `data-dir`, `listen`, `allow-remote`, `tls.certificate-chain`, `tls.private-key`,
  /// `tls.client-roots`, `allow-plaintext`, `access-policy`, `socket-mode` (octal digits), `shutdown-grace` (seconds),
  /// `metrics-listen`, `slow-call` (seconds), `history-days`, `loaded-devices`, `clock` (as ``ClockChoice`` reads it),
  /// `policy.…` as in ``Policy``, spans in seconds, and `limits.…`.
  public init(reading reader: ConfigReader) throws {
    guard let dataDirectory = try reader.text("data-dir") else {
      throw ConfigurationError("data-dir", "required, and set nowhere")
    }
    var endpoints: [Endpoint] = []
    for text in reader.stringArray(forKey: "listen", default: []) {
      do { endpoints.append(try Endpoint(text)) } catch { throw ConfigurationError("listen", "\(error)") }
    }
    self.init(dataDirectory: dataDirectory, endpoints: endpoints)
    isRemoteAllowed = try reader.flag("allow-remote") ?? isRemoteAllowed
    if let seconds = try reader.number("shutdown-grace") { shutdownGrace = .seconds(seconds) }
    isPlaintextAllowed = try reader.flag("allow-plaintext") ?? isPlaintextAllowed
    accessPolicy = try reader.text("access-policy")
    if let text = try reader.text("socket-mode") ?? reader.int(forKey: "socket-mode").map(String.init) {
      transport.unixSocketMode = try Self.mode(text)
    }
    if let seconds = try reader.number("slow-call") { slowCallTimeMin = .seconds(seconds) }
    if let days = try reader.number("history-days") {
      guard days > 0, let span = TimeSpan(seconds: days * 86_400) else {
        throw ConfigurationError("history-days", "\(days) is no number of days above 0")
      }
      historySpan = span
    }
    loadedDeviceCountMax = try reader.count("loaded-devices") ?? loadedDeviceCountMax
    if let text = try reader.text("metrics-listen") {
      do { metricsEndpoint = try Endpoint(text) } catch { throw ConfigurationError("metrics-listen", "\(error)") }
    }
    let roots = try reader.text("tls.client-roots")
    let files = (try reader.text("tls.certificate-chain"), try reader.text("tls.private-key"))
    if let text = try reader.text("clock") { clock = try ClockChoice(text) }
    switch files {
    case (nil, nil) where roots == nil: break
    case (let chain?, let key?): tls = TLSFiles(certificateChain: chain, privateKey: key, clientRoots: roots)
    default:
      throw ConfigurationError("tls", "certificate-chain and private-key are set together, and where client-roots is")
    }
    try Self.naming("policy") { try readPolicy(reader.scoped(to: "policy")) }
    try Self.naming("limits") { try readLimits(reader.scoped(to: "limits")) }
    try check()
  }

  /// Permissions of a socket, such as `660`: of nobody more than reading and writing, and of the owner both.
  private static func mode(_ text: String) throws(ConfigurationError) -> UInt32 {
    guard let mode = UInt32(text, radix: 8), mode & ~0o666 == 0, mode & 0o600 == 0o600 else {
      throw ConfigurationError("socket-mode", "'\(text)' is no mode such as 600, 660 or 666")
    }
    return mode
  }

  /// Reads the access policy; without one, that of a server for its own user alone.
  func readAccessPolicy() async throws -> AccessPolicy {
    guard let accessPolicy else { return AccessPolicy() }
    return try await AccessPolicyReader.policy(at: accessPolicy)
  }

  /// The names of the limits that are set as `limits.NAME`, in the order of the documentation.
  public static var limitNames: [String] {
    LimitEntry.all.compactMap { entry in if case .setting = entry.source { entry.name } else { nil } }
  }

  /// What the limit of that name is; `nil` when none is set by it.
  public subscript(limit name: String) -> Int? {
    for entry in LimitEntry.all where entry.name == name {
      if case .setting(let path, _) = entry.source { return self[keyPath: path] }
    }
    return nil
  }

  /// Runs `body`, in whose errors keys lack their first part.
  private static func naming(_ part: String, _ body: () throws -> Void) throws {
    do {
      try body()
    } catch let error as ConfigurationError {
      throw ConfigurationError("\(part).\(error.key)", error.reason)
    }
  }

  private mutating func readPolicy(_ reader: ConfigReader) throws {
    for field in PolicyField.all {
      let key = field.name.replacing("_", with: "-")
      guard let number = try reader.number(ConfigKey(key)) else { continue }
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

  /// A number, also where a file or variable has it as text; anything else is an error, not the default.
  fileprivate func number(_ key: ConfigKey) throws -> Double? {
    if let number = double(forKey: key) { return number }
    if let number = int(forKey: key) { return Double(number) }
    guard string(forKey: key) != nil || bool(forKey: key) != nil else { return nil }
    throw ConfigurationError(key.dotted, "not a number")
  }

  fileprivate func count(_ key: ConfigKey) throws -> Int? {
    guard let number = try number(key) else { return nil }
    guard let count = Int(exactly: number), count >= 0 else {
      throw ConfigurationError(key.dotted, "\(number) is not a whole number, 0 or more")
    }
    return count
  }

  fileprivate func flag(_ key: ConfigKey) throws -> Bool? {
    if let flag = bool(forKey: key) { return flag }
    guard string(forKey: key) != nil || double(forKey: key) != nil else { return nil }
    throw ConfigurationError(key.dotted, "neither true nor false")
  }
}

extension ConfigKey {
  fileprivate var dotted: String { components.joined(separator: ".") }
}
