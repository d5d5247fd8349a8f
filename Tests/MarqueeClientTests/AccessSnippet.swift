import MarqueeClient
import MarqueeTransport

/// The program in the article *Access*.
enum AccessSnippet {
  static func connection(to server: Endpoint) throws -> RPCClient {
    var credentials = ClientCredentials()
    credentials.tokenFile = "/run/secrets/marquee"
    credentials.tlsRoots = "system"
    let connection = RPCClient(server, configuration: try credentials.configuration(for: server))
    return connection
  }
}
