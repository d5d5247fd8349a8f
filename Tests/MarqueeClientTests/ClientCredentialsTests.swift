import MarqueeClient
import MarqueeTestSupport
import MarqueeTransport
import Testing

@Suite("Client credentials", .timeLimit(.minutes(1)))
struct ClientCredentialsTests {
  private static let local: Endpoint = .tcp(host: "127.0.0.1", port: 7_000)
  private static let remote: Endpoint = .tcp(host: "marquee.example.com", port: 7_000)

  /// Runs `body` with the path of a temporary file with the content.
  private static func file<Result>(_ content: String, _ body: (String) throws -> Result) throws -> Result {
    let directory = try TemporaryDirectory()
    return try body(directory.write(content, to: "token"))
  }

  @Test("The environment sets the files; empty variables are ignored")
  func environment() {
    let credentials = ClientCredentials(environment: [
      "MARQUEE_TOKEN_FILE": "/token", "MARQUEE_TLS_ROOTS": "", "MARQUEE_TLS_CERTIFICATE_CHAIN": "/chain",
      "MARQUEE_TLS_PRIVATE_KEY": "/key", "MARQUEE_TLS_SERVER_NAME": "name", "TLS_ROOTS": "/other",
    ])
    #expect(credentials.tokenFile == "/token" && credentials.tlsRoots == nil)
    #expect(credentials.tlsCertificateChain == "/chain" && credentials.tlsPrivateKey == "/key")
    #expect(credentials.tlsServerName == "name")
    #expect(ClientCredentials(environment: [:]) == ClientCredentials())
  }

  @Test("A token is sent with every call, but to other machines only with TLS")
  func token() throws {
    try Self.file("  abc.def\n") { path in
      var credentials = ClientCredentials()
      credentials.tokenFile = path
      for endpoint in [Self.local, .unix(path: "/socket"), .tcp(host: "::1", port: 1)] {
        let configuration = try credentials.configuration(for: endpoint)
        #expect(configuration.authorization?() == "Bearer abc.def" && configuration.tls == nil)
      }
      let error = #expect(throws: CredentialsError.self) { try credentials.configuration(for: Self.remote) }
      #expect(error?.description.contains("requires TLS") == true)
      credentials.tlsRoots = "system"
      let configuration = try credentials.configuration(for: Self.remote)
      #expect(configuration.authorization != nil && configuration.tls != nil)
    }
  }

  @Test(
    "A file without a valid token is rejected",
    arguments: ["", " \n", "two words", "naïve", String(repeating: "x", count: 7_169)])
  func noToken(content: String) throws {
    try Self.file(content) { path in
      let error = #expect(throws: CredentialsError.self) { try TokenFile(path) }
      #expect(error?.description.contains("invalid token file") == true)
    }
    #expect(throws: CredentialsError.self) { try TokenFile("/nowhere") }
  }

  @Test("A certificate without its key, or a file that is not PEM, is rejected; a Unix socket needs neither")
  func certificates() throws {
    var credentials = ClientCredentials()
    credentials.tlsCertificateChain = "/nowhere"
    #expect(throws: CredentialsError.self) { try credentials.configuration(for: Self.local) }
    credentials.tlsPrivateKey = "/nowhere"
    let error = #expect(throws: CredentialsError.self) { try credentials.configuration(for: Self.local) }
    #expect(error?.description.hasPrefix("cannot read the certificate chain: ") == true)
    try Self.file("no PEM") { path in
      (credentials.tlsCertificateChain, credentials.tlsPrivateKey) = (path, path)
      let error = #expect(throws: CredentialsError.self) { try credentials.configuration(for: Self.local) }
      #expect(error?.description == "the file of the certificate chain is not valid PEM")
      credentials.tlsRoots = path
      let roots = #expect(throws: CredentialsError.self) { try credentials.configuration(for: Self.local) }
      #expect(roots?.description == "the file of the TLS roots is not valid PEM")
    }
    #expect(try credentials.configuration(for: .unix(path: "/socket")).tls == nil)
  }
}
