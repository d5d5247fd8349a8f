import MarqueeCluster
import MarqueeJournal
import MarqueeTransport

/// The cluster of which a server is a node, whose devices are in a PostgreSQL database.
public struct ClusterChoice: Sendable {
  /// The keys of the settings of a cluster.
  public static let settingKeys: Set = [
    "cluster.node", "cluster.address", "cluster.advertise", "cluster.lease", "cluster.shard-count",
    "cluster.token-file",
    "cluster.tls-roots",
  ]
  /// The valid times to live of a lease.
  private static let leaseRange = Duration.seconds(3)...Duration.seconds(3_600)
  /// The valid times to live of a lease in words, in seconds.
  static let leaseRangeWords =
    "\(leaseRange.lowerBound.components.seconds) to \(leaseRange.upperBound.components.seconds)"
  /// The time to live unless configured otherwise.
  static let timeToLiveDefault = NodeLease.timeToLiveDefault
  /// The maximum size of a node's name, in bytes.
  private static let nameSizeMax = 255

  /// The name of the node, which no other node has.
  let name: String
  /// The address at which the other nodes reach the node; `nil` if they pass no calls on to it.
  let address: Endpoint?
  /// The address that clients are redirected to; `nil` if their calls are passed on.
  let advertisedAddress: Endpoint?
  /// The time after a renewal at which the node's lease ends.
  let timeToLive: Duration
  /// The number of shards of the cluster.
  let shardCount: Int
  /// A file with the bearer token with which the node calls the other nodes; `nil` to call them as the peer that it is
  /// to them, such as the user of a Unix socket.
  public var tokenFile: String?
  /// A PEM file with the certificate authorities of the other nodes, or `system` for those of the machine; `nil` to
  /// call them without TLS.
  public var tlsRoots: String?

  /// Creates a choice.
  ///
  /// - Parameters:
  ///   - name: The name of the node, which no other node has.
  ///   - address: The address at which the other nodes reach the node: an endpoint with a port, or a Unix socket of
  ///     nodes on this machine.
  ///   - advertisedAddress: The address that clients are redirected to; `nil` to have their calls passed on.
  ///   - timeToLive: The time after a renewal at which the node's lease ends.
  ///   - shardCount: The number of shards with which the cluster was created, or is created by its first node.
  /// - Throws: ``ConfigurationError``.
  public init(
    _ name: String, address: String? = nil, advertisedAddress: String? = nil,
    timeToLive: Duration = NodeLease.timeToLiveDefault, shardCount: Int = ShardID.countDefault
  ) throws(ConfigurationError) {
    guard (1...Self.nameSizeMax).contains(name.utf8.count), !name.utf8.contains(0) else {
      throw ConfigurationError("cluster.node", "the name must have 1 to \(Self.nameSizeMax) bytes, and no NUL")
    }
    guard Self.leaseRange.contains(timeToLive) else {
      throw ConfigurationError(
        "cluster.lease", "\(timeToLive) is out of range: must be \(Self.leaseRangeWords) seconds")
    }
    guard (1...ShardID.countMax).contains(shardCount) else {
      throw ConfigurationError(
        "cluster.shard-count", "\(shardCount) is out of range: must be 1 to \(ShardID.countMax)")
    }
    self.name = name
    self.address = try Self.endpoint("cluster.address", address)
    self.advertisedAddress = try Self.endpoint("cluster.advertise", advertisedAddress)
    self.shardCount = shardCount
    self.timeToLive = timeToLive
  }

  /// Returns the configurations of connections to other nodes.
  ///
  /// - Parameter tls: The files with which the node also authenticates as a client if it has roots for the others.
  /// - Throws: ``ConfigurationError`` if a file is invalid, or a token would be sent to another machine without TLS.
  func peerConfiguration(
    _ tls: MarqueeConfiguration.TLSFiles?
  ) throws(ConfigurationError) -> @Sendable (Endpoint) throws -> ClientConfiguration {
    var credentials = ClientCredentials()
    credentials.tokenFile = tokenFile
    if let tlsRoots {
      credentials.tlsRoots = tlsRoots
      credentials.tlsCertificateChain = tls?.certificateChain
      credentials.tlsPrivateKey = tls?.privateKey
    }
    // The others' addresses are like that of this node.
    do { _ = try credentials.configuration(for: address ?? .unix(path: "/")) } catch {
      throw ConfigurationError("cluster", error.description)
    }
    return { [credentials] in try credentials.configuration(for: $0) }
  }

  /// Returns the endpoint of a setting, to which others are to connect; `nil` if it is not set.
  private static func endpoint(_ key: String, _ text: String?) throws(ConfigurationError) -> Endpoint? {
    guard let text else { return nil }
    let endpoint: Endpoint
    do { endpoint = try Endpoint(text) } catch { throw ConfigurationError(key, "\(error)") }
    if case .tcp(let host, let port) = endpoint, port == 0 || ["0.0.0.0", "::"].contains(host) {
      throw ConfigurationError(key, "\(endpoint) is no address that clients can connect to")
    }
    return endpoint
  }
}
