@preconcurrency import Foundation
import GRPCCore
import GRPCNIOTransportHTTP2Posix

/// A connection to a Marquee server: ADDRESS [TOKEN-FILE ROOTS-FILE] are the arguments of each client.
package enum Connection {
  package typealias Client = GRPCClient<HTTP2ClientTransport.Posix>

  /// Connects in plain text, or with TLS and a bearer token on every call; ends the program with an error's status.
  package static func open(_ body: @Sendable (Client) async throws -> Void) async {
    setvbuf(stdout, nil, _IOLBF, 0)
    do {
      let arguments = CommandLine.arguments
      var security = HTTP2ClientTransport.Posix.TransportSecurity.plaintext
      var configuration = HTTP2ClientTransport.Posix.Config.defaults
      var interceptors: [any ClientInterceptor] = []
      if arguments.count > 3 {
        security = .tls { $0.trustRoots = .certificates([.file(path: arguments[3], format: .pem)]) }
        // The name in the server's certificate.
        configuration.http2.authority = "localhost"
        let token = try String(contentsOfFile: arguments[2], encoding: .utf8)
        interceptors = [Authorization(token: token.trimmingCharacters(in: .newlines))]
      }
      let transport = try HTTP2ClientTransport.Posix(
        target: target(arguments[1]), transportSecurity: security, config: configuration)
      try await withGRPCClient(transport: transport, interceptors: interceptors) { try await body($0) }
    } catch {
      print("error \(error)")
      exit(1)
    }
  }

  /// Returns the target of an address, `HOST:PORT` or `unix:PATH`.
  private static func target(_ address: String) -> any ResolvableTarget {
    let parts = address.split(separator: ":", maxSplits: 1).map(String.init)
    return parts[0] == "unix" ? .unixDomainSocket(path: parts[1]) : .dns(host: parts[0], port: Int(parts[1]))
  }
}

/// Adds a bearer token to every call.
private struct Authorization: ClientInterceptor {
  let token: String

  func intercept<Input: Sendable, Output: Sendable>(
    request: StreamingClientRequest<Input>, context: ClientContext,
    next: (StreamingClientRequest<Input>, ClientContext) async throws -> StreamingClientResponse<Output>
  ) async throws -> StreamingClientResponse<Output> {
    var request = request
    request.metadata.addString("Bearer \(token)", forKey: "authorization")
    return try await next(request, context)
  }
}
