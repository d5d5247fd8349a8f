import MarqueeClient
import MarqueeTestSupport
import MarqueeTransport
import Testing

/// Creates certificates with openssl in a directory.
struct CertificateAuthority {
  /// A certificate and its key, in PEM files.
  struct Identity {
    let chain: String
    let key: String
  }

  private let directory: TemporaryDirectory
  private let own: Identity

  /// Creates an authority whose file names begin with `name`.
  init(_ name: String, in directory: TemporaryDirectory) async throws {
    self.directory = directory
    own = Identity(chain: directory.file("\(name).pem"), key: directory.file("\(name).key"))
    try await Self.make(own, ["-subj", "/CN=\(name)"])
  }

  /// The path of the authority's own certificate, a PEM file.
  var root: String { own.chain }

  /// Creates a certificate for `name` in files whose names begin with `file`.
  func identity(_ name: String, file: String? = nil) async throws -> Identity {
    let file = directory.file(file ?? name)
    let identity = Identity(chain: "\(file).pem", key: "\(file).key")
    try await Self.make(
      identity,
      ["-subj", "/CN=\(name)", "-addext", "subjectAltName=DNS:\(name)", "-CA", own.chain, "-CAkey", own.key])
    return identity
  }

  private static func make(_ identity: Identity, _ arguments: [String]) async throws {
    let request = [
      "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-keyout",
      identity.key, "-out", identity.chain,
    ]
    #expect(try await Daemon(request + arguments, program: "/usr/bin/openssl").wait() == .code(0))
  }

  /// Connects with this authority as root, and with a client certificate if there is one.
  func connection(to endpoint: Endpoint, as identity: Identity? = nil, token: String? = nil) throws -> RPCClient {
    var credentials = ClientCredentials()
    credentials.tlsRoots = root
    credentials.tlsCertificateChain = identity?.chain
    credentials.tlsPrivateKey = identity?.key
    credentials.tlsServerName = "localhost"
    var configuration = try credentials.configuration(for: endpoint)
    configuration.backoff = ClientConfiguration.eager.backoff
    if let token { configuration.authorization = { "Bearer \(token)" } }
    return RPCClient(endpoint, configuration: configuration)
  }
}
