import MarqueeTestSupport

/// A protocol in which a simulated client calls the server.
enum SimulatedProtocol: Hashable, CustomStringConvertible {
  case native, grpc
  case connect(ConnectBridgeCall.Codec, isHTTP2: Bool)

  /// Draws a protocol.
  init(_ sampler: inout Sampler) {
    switch sampler.number(in: 0...3) {
    case 0: self = .native
    case 1: self = .grpc
    default: self = .connect(sampler.one(of: ConnectBridgeCall.Codec.allCases), isHTTP2: sampler.once(in: 2))
    }
  }

  /// Whether calls whose client streams are possible.
  var isDuplex: Bool { self == .native || self == .grpc }

  var description: String {
    switch self {
    case .native: "the native protocol"
    case .grpc: "gRPC"
    case .connect(let codec, let isHTTP2): "Connect over HTTP/\(isHTTP2 ? "2" : "1.1") with \(codec) messages"
    }
  }
}
