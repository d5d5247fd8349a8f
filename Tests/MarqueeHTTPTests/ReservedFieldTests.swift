import MarqueeRPC
import Testing

@testable import MarqueeHTTP

@Suite("Reserved fields")
struct ReservedFieldTests {
  private static let names = [
    "accept", "accept-encoding", "accept-language", "authorization", "connect-timeout", "connection",
    "content-language", "cookie", "custom", "date", "expect", "grpc-custom", "host2", "http2-settings", "keep-alive",
    "proxy-authorization", "proxy-connection", "te", "trailer", "traceparent", "transfer-encoding", "upgrade", "x-te",
    "location",
  ]
  private static let metadata = ["authorization", "custom", "date", "host2", "traceparent", "x-te", "location"]

  /// Returns the keys of a call's metadata in gRPC over HTTP/2.
  private static func keysOfGRPC(_ fields: [(String, String)]) -> [String]? {
    var head = RequestHead(sizeMax: 16_384)
    for (name, value) in [(":method", "POST"), (":path", "/a.B/C"), ("content-type", "application/grpc")] + fields {
      Array(name.utf8).withUnsafeBytes { name in Array(value.utf8).withUnsafeBytes { head.append(name, $0) } }
    }
    guard case .call(let call) = GRPCRequest(head) else { return nil }
    return call.metadata.pairs.map(\.key)
  }

  @Test("gRPC and Connect pass on the same fields of a request")
  func requests() throws {
    let fields = Self.names.map { ($0, $0 == "te" ? "trailers" : "a") }
    #expect(Self.keysOfGRPC(fields) == Self.names.filter(Self.metadata.contains))
    let head = HTTPHead(
      method: "POST", target: "/a.B/C", authority: "localhost",
      fields: [HTTPHead.Field("content-type", "application/proto")] + fields.map { HTTPHead.Field($0.0, $0.1) })
    let call = try ConnectRequest(head)
    #expect(call.metadata.pairs.map(\.key) == Self.names.filter(Self.metadata.contains))
  }

  @Test("gRPC and Connect send the same metadata of a response")
  func responses() {
    var metadata = Metadata()
    let sent = ["authorization", "custom", "host2", "traceparent", "x-te"]
    for name in Self.names + ["set-cookie", "vary", "retry-after", "access-control-allow-origin", "trailer-x"] {
      metadata.append(name, "a")
    }
    #expect(ConnectResponse.fields(metadata).map(\.name) == Self.names.filter(sent.contains))
    let list = GRPCResponse.head(.grpc, metadata)
    let names = (0..<list.count).map { String(decoding: list[$0].name, as: UTF8.self) }
    #expect(names == [":status", "content-type"] + Self.names.filter(sent.contains))
    // The name with which a refusal of compression answers.
    var refusal = Metadata()
    refusal.append("grpc-accept-encoding", "identity")
    let answer = GRPCResponse.head(.grpc, refusal)
    #expect(answer.count == 3)
  }
}
