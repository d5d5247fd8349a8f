import MarqueeJournal
import MarqueeScheduler
import MarqueeTransport

extension Setting {
  /// All settings, in the order of the documentation.
  package static let all: [Setting] = ofServer + ofCluster + ofTLS + ofPolicy + ofLimits

  private static let ofServer = [
    dataDirectory, store, storePasswordFile, keys, endpoints, protocols, hosts, origins, console, accessPolicy,
    socketMode, allowRemote, allowPlaintext, clock, shutdownGrace, retentionDays, cachedDeviceCountMax, metricsEndpoint,
    metricsHosts,
    slowCallThreshold, logLevel,
  ]

  private static let ofCluster = [
    clusterNode, clusterAddress, clusterAdvertise, clusterLease, clusterShardCount, clusterTokenFile, clusterTLSRoots,
  ]
  private static let ofTLS = [certificateChain, privateKey, clientRoots, tlsVersionMin]
  private static let ofPolicy = PolicyField.all.map { Setting(field: $0) }
  private static let ofLimits = LimitEntry.all.compactMap { Setting(limit: $0) }

  private static let defaults = MarqueeConfiguration(dataDirectory: "", endpoints: [])
  private static let timeRange = "0 to \(MarqueeConfiguration.settingTimeMax)"

  package static let dataDirectory = Setting(
    "data-dir", "The data directory, which is created if it does not exist. Required.", example: "/var/lib/marquee")
  package static let store = Setting(
    "store", "The PostgreSQL database of the devices: postgres: and a connection info or URI of libpq.",
    details: "By default, the devices are in the data directory, which then has only the sessions of browsers.",
    example: #""postgres:host=/run/postgresql dbname=marquee user=marquee""#, valueName: "postgres:conninfo")
  package static let storePasswordFile = Setting(
    "store-password-file", "A file whose first line is the password of the database, beside libpq's own places.",
    example: "/etc/marquee/database.password", valueName: "file")
  package static let keys = Setting(
    "keys", "The directory of the keys under which PostgreSQL's rows are sealed. Required with store.",
    details: "Its mode is 700. The first key is made in it if the database has no devices.",
    example: "/etc/marquee/keys", valueName: "directory")
  package static let endpoints = Setting(
    "listen", "The endpoints to listen on: unix:PATH or tcp:HOST:PORT. At least one is required.",
    details: "The option is repeatable; the environment variable separates endpoints with commas.",
    example: #"["unix:/run/marquee/marqueed.sock"]"#, valueName: "endpoint", shape: .list)
  package static let protocols = Setting(
    "protocols", "The protocols of clients on every endpoint: native (Marquee's own), grpc and connect. At least one.",
    details: "The option is repeatable; the environment variable separates protocols with commas.",
    defaultValue: "[\(CallProtocol.allCases.map(\.rawValue).joined(separator: ", "))]", valueName: "protocol",
    shape: .list)
  package static let hosts = Setting(
    "hosts", "Further hosts that requests of Connect and gRPC-Web may name, besides the bound address and localhost.",
    details: "The option is repeatable; the environment variable separates hosts with commas.",
    example: #"["marquee.example.com"]"#, valueName: "host", shape: .list)
  package static let origins = Setting(
    "origins", "The origins of web pages that may call the server, with a bearer token. By default, there is none.",
    details: "The option is repeatable; the environment variable separates origins with commas.",
    example: #"["https://home.example.com"]"#, valueName: "origin", shape: .list)
  package static let console = Setting(
    "console", "Serve the console, pages for browsers, on every endpoint with the protocol connect: true or false.",
    defaultValue: "\(defaults.servesConsole)", valueName: "true|false")
  package static let accessPolicy = Setting(
    "access-policy", "The access policy, a YAML file; reloaded on SIGHUP.",
    details: "Without one, only root and the server's own user have access, over Unix sockets.",
    example: "/etc/marquee/access.yaml", valueName: "file")
  package static let socketMode = Setting(
    "socket-mode", "The file mode of Unix sockets, such as 666.",
    defaultValue: String(defaults.transport.unixSocketMode, radix: 8), valueName: "mode")
  package static let allowRemote = Setting(
    "allow-remote", "Allow TCP endpoints on non-loopback addresses, with TLS.",
    defaultValue: "\(defaults.isRemoteAllowed)")
  package static let allowPlaintext = Setting(
    "allow-plaintext",
    "Allow TCP endpoints on non-loopback addresses without TLS. Exposes all traffic, including bearer tokens.",
    defaultValue: "\(defaults.isPlaintextAllowed)")
  package static let clock = Setting(
    "clock", "The server's clock: system, manual or manual=TIME. Only 'marquee clock advance' advances a manual clock.",
    details: """
      It starts at TIME, such as 2026-03-04T08:00:00Z, or at the latest time in the data directory, \
      whichever is later. If there is neither, it starts at the system time.
      """,
    defaultValue: "system", valueName: "system|manual[=TIME]")
  package static let shutdownGrace = Setting(
    "shutdown-grace", "The time that open calls have to complete after SIGTERM.", unit: "seconds", range: timeRange,
    defaultValue: "\(defaults.shutdownGrace.components.seconds)")
  package static let retentionDays = Setting(
    "retention-days", "The minimum age of history that is deleted. By default, all history is kept.", unit: "days",
    range: "above 0", example: "90")
  package static let cachedDeviceCountMax = Setting(
    "cached-devices-max", "The approximate number of idle devices cached in memory.", range: "1 or more",
    defaultValue: "\(defaults.cachedDeviceCountMax)")
  package static let metricsEndpoint = Setting(
    "metrics-listen", "The loopback endpoint of Prometheus metrics. By default, metrics are not served.",
    example: "tcp:127.0.0.1:9464")
  package static let metricsHosts = Setting(
    "metrics-host", "Further allowed values of Host in metrics requests, besides the address and localhost.",
    details: "The option is repeatable; the environment variable separates hosts with commas.",
    example: #"["metrics.example.com:8080"]"#, valueName: "host[:port]", shape: .scalarOrList)
  package static let slowCallThreshold = Setting(
    "slow-call-threshold", "The minimum duration of unary calls that are logged. By default, none is logged.",
    unit: "seconds", range: timeRange, example: "0.5")
  package static let logLevel = Setting(
    "log-level", "The log level: trace, debug, info, notice, warning, error or critical.", defaultValue: "info")
  package static let clusterNode = Setting(
    "cluster.node", "The name of this node; makes the server a node of the cluster whose database store names.",
    details: "No other node has the name. An empty database becomes that of a new cluster.",
    example: "kitchen", valueName: "name")
  package static let clusterAddress = Setting(
    "cluster.address", "The address at which the other nodes reach this node: tcp:HOST:PORT, or unix:PATH.",
    details: "Without it, they pass no calls on to this node.",
    example: "tcp:kitchen.example.com:7411", valueName: "endpoint")
  package static let clusterAdvertise = Setting(
    "cluster.advertise", "The address that clients of other nodes are redirected to: tcp:HOST:PORT, or unix:PATH.",
    details: "Without it, the other nodes pass all calls on to this node.",
    example: "tcp:kitchen.example.com:7411", valueName: "endpoint")
  package static let clusterLease = Setting(
    "cluster.lease", "The time without a renewal after which the other nodes take the devices over.", unit: "seconds",
    range: ClusterChoice.leaseRangeWords,
    defaultValue: "\(ClusterChoice.timeToLiveDefault.components.seconds)")
  package static let clusterShardCount = Setting(
    "cluster.shard-count", "The number of shards of the cluster, with which it is created.",
    range: "1 to \(ShardID.countMax)", defaultValue: "\(ShardID.countDefault)")
  package static let clusterTokenFile = Setting(
    "cluster.token-file", "A file with the bearer token with which this node calls the other nodes.",
    details: "Their access policies grant it access to everything. Needed over TCP without client certificates.",
    example: "/etc/marquee/node-token", valueName: "file")
  package static let clusterTLSRoots = Setting(
    "cluster.tls-roots", "A PEM file with the certificate authorities of the other nodes, or system.",
    details: "Enables TLS between nodes, with tls.certificate-chain as the client's certificate.",
    example: "/etc/marquee/node-roots.pem", valueName: "file")
  package static let certificateChain = Setting(
    "tls.certificate-chain", "A PEM file with the server's certificate chain; enables TLS on TCP endpoints.",
    example: "/etc/marquee/certificate.pem")
  package static let privateKey = Setting(
    "tls.private-key", "A PEM file with the private key of the certificate.", example: "/etc/marquee/key.pem")
  package static let clientRoots = Setting(
    "tls.client-roots", "A PEM file with the certificate authorities of client certificates.",
    example: "/etc/marquee/client-roots.pem")
  package static let tlsVersionMin = Setting(
    "tls.version-min", "The minimum TLS version: 1.2 or 1.3.",
    defaultValue: MarqueeConfiguration.TLSFiles(certificateChain: "", privateKey: "").versionMin.rawValue,
    valueName: "version")
}
