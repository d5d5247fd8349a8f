import Foundation
import MarqueeTestSupport
import MarqueeTransport
import Testing

/// The protocol in which the tests' clients call a server. All but the native one are spoken by a bridge between a
/// client of the native protocol and the server.
enum TestProtocol: String, CaseIterable, Sendable, CustomTestStringConvertible {
  case native, grpc
  /// Connect over HTTP/1.1, in both encodings; it has no calls whose client streams.
  case connectProto, connectJSON

  /// The protocols with all kinds of calls.
  static let duplex: [TestProtocol] = [.native, .grpc]
  /// The protocols other than the native one.
  static let foreign: [TestProtocol] = [.grpc, .connectProto, .connectJSON]

  /// The protocol of tests that name none: `MARQUEE_TEST_PROTOCOL` in the environment, or the native one.
  static let standard =
    ProcessInfo.processInfo.environment["MARQUEE_TEST_PROTOCOL"].flatMap(TestProtocol.init) ?? .native

  var testDescription: String { rawValue }

  /// Whether calls whose client streams are possible.
  var isDuplex: Bool { Self.duplex.contains(self) }

  /// Returns the dialer of clients; `nil` for the native protocol.
  func dialer(to endpoint: Endpoint) -> (any Dialer)? {
    switch self {
    case .native: nil
    case .grpc: GRPCDialer(endpoint) { Issue.record("the server violates gRPC: \($0)") }
    case .connectProto: ConnectDialer(endpoint, .proto)
    case .connectJSON: ConnectDialer(endpoint, .json)
    }
  }

  /// Creates a client of an endpoint.
  func client(_ endpoint: Endpoint, _ configuration: ClientConfiguration = .eager) -> RPCClient {
    var configuration = configuration
    configuration.dialer = dialer(to: endpoint)
    return RPCClient(endpoint, configuration: configuration)
  }
}
