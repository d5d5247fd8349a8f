import Foundation
import MarqueeTestSupport
import MarqueeTransport
import Testing

/// The protocol in which the tests' clients call a server. All but the native one are spoken by a bridge between a
/// client of the native protocol and the server.
enum TestProtocol: String, CaseIterable, Sendable, CustomTestStringConvertible {
  case native, grpc
  /// Connect over HTTP/1.1, in both encodings, and over HTTP/2; it has no calls whose client streams.
  case connectProto, connectJSON, connectHTTP2

  /// The protocols with all kinds of calls.
  static let duplex: [TestProtocol] = [.native, .grpc]
  /// The protocols other than the native one.
  static let foreign: [TestProtocol] = [.grpc, .connectProto, .connectJSON, .connectHTTP2]

  /// The protocol of tests that name none: `MARQUEE_TEST_PROTOCOL` in the environment, or the native one.
  static let standard =
    ProcessInfo.processInfo.environment["MARQUEE_TEST_PROTOCOL"].flatMap(TestProtocol.init) ?? .native

  var testDescription: String { rawValue }

  /// Whether calls whose client streams are possible.
  var isDuplex: Bool { Self.duplex.contains(self) }

  /// Returns the dialer of clients; `nil` for the native protocol.
  func dialer(to endpoint: Endpoint) -> (any Dialer)? {
    let report = { @Sendable (violation: String) -> Void in
      Issue.record("the server violates \(self.rawValue): \(violation)")
    }
    return switch self {
    case .native: nil
    case .grpc: HTTP2Dialer(endpoint, reporting: report)
    case .connectProto: HTTP1Dialer(endpoint, .proto, reporting: report)
    case .connectJSON: HTTP1Dialer(endpoint, .json, reporting: report)
    case .connectHTTP2: HTTP2Dialer(endpoint, .json, reporting: report)
    }
  }

  /// Creates a client of an endpoint.
  func client(_ endpoint: Endpoint, _ configuration: ClientConfiguration = .eager) -> RPCClient {
    var configuration = configuration
    configuration.dialer = dialer(to: endpoint)
    return RPCClient(endpoint, configuration: configuration)
  }
}
