import MarqueeHTTP
import MarqueeRPC

/// Fuzzes the interpretation of requests of the Connect protocol and of gRPC.
///
/// The first byte selects the size of the pieces in which the body arrives. Lines follow: the method and target, the
/// host, and fields up to an empty line. The rest is the body.
enum ConnectFuzz {
  private static let sizeMax = 1_024
  private static let hosts = ["localhost", "127.0.0.1", "::1", "marquee.example.com"]
  private static let page = "https://home.example.com"
  private static let origins = Origins(hosts: ["marquee.example.com"], origins: [page])

  static func run(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard let first = bytes.first else { return false }
    var rest = bytes.dropFirst()
    guard let line = nextLine(&rest), let host = nextLine(&rest) else { return false }
    var fields: [HTTPHead.Field] = []
    while let text = nextLine(&rest), !text.isEmpty {
      let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      fields.append(HTTPHead.Field(String(parts[0]), parts.count > 1 ? String(parts[1]) : ""))
    }
    let words = line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
    let head = HTTPHead(
      method: String(words[0]), target: words.count > 1 ? String(words[1]) : "",
      authority: host.isEmpty ? nil : host, fields: fields)
    checkOrigins(head)
    checkGRPC(head)
    guard let request = request(head) else { return false }
    return isAccepted(Array(rest), request.format, pieceSize: Int(first) + 1)
  }

  private static func nextLine(_ bytes: inout Slice<UnsafeRawBufferPointer>) -> String? {
    guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
    defer { bytes = bytes[(end + 1)...] }
    return String(decoding: bytes[..<end], as: UTF8.self)
  }

  // MARK: Heads

  /// Returns the call of a head, or `nil` if it is rejected.
  private static func request(_ head: HTTPHead) -> ConnectRequest? {
    // A rejection is an acceptable result.
    guard let request = try? ConnectRequest(head) else { return nil }
    precondition(head.method == "POST" && head.target == "/\(request.method)", "another request became a call")
    precondition(request.metadata.problem == nil, "a call has invalid metadata")
    precondition(request.timeout.map { $0 > .zero } ?? true, "a call has no time")
    let types = head.values(of: "content-type").map { $0.lowercased() }
    precondition(
      types.count == 1 && types[0].hasPrefix("application/") && !request.metadata.pairs.contains { $0.key == "cookie" },
      "a page could have sent the call without asking")
    return request
  }

  /// Compares the rules of hosts and origins with a plain reading of them.
  private static func checkOrigins(_ head: HTTPHead) {
    if let authority = head.authority, origins.allowsHost(authority, boundTo: nil) {
      var host = authority.lowercased()
      if let colon = host.lastIndex(of: ":"), host[colon...].dropFirst().allSatisfy(\.isNumber) {
        host = String(host[..<colon])
      }
      if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
      if host.hasSuffix(".") { host.removeLast() }
      precondition(hosts.contains(host), "a request may name \(authority)")
    }
    let named = head.values(of: "origin")
    for isEncrypted in [false, true] {
      let relation = origins.relation(of: head, isEncrypted: isEncrypted)
      switch relation {
      case .own:
        let scheme = isEncrypted ? "https://" : "http://"
        precondition(named.isEmpty || (named.count == 1 && named[0].hasPrefix(scheme)), "a foreign page is own")
      case .allowed(let origin): precondition(named == [page] && origin == page, "another page is allowed")
      case .foreign: break
      }
      let fields = origins.fields(for: relation) + (origins.preflightFields(head, relation) ?? [])
      for field in fields where field.name == "access-control-allow-origin" {
        precondition(named == [page] && field.value == page, "another page may read the response")
      }
    }
    for text in named + [head.target, head.authority ?? ""] {
      precondition(!Origins.isOrigin(text) || text.hasPrefix("http"), "an origin without a scheme")
      precondition(!Origins.isHost(text) || !text.contains("/"), "a host with a path")
    }
  }

  /// Sends the head as a header list of HTTP/2: it opens a call, or is rejected or an error of its stream.
  private static func checkGRPC(_ head: HTTPHead) {
    var block = literal(":method", head.method) + literal(":scheme", "http") + literal(":path", head.target)
    block += literal(":authority", head.authority ?? "localhost")
    for field in head.fields { block += literal(field.name, field.value) }
    guard block.count <= 16_384 else { return }
    let frame = [0, UInt8(block.count >> 8), UInt8(block.count & 0xFF), 1, 5, 0, 0, 0, 1] + block
    let input = HTTP2Connection.preface + [0, 0, 0, 4, 0, 0, 0, 0, 0] + frame
    let now = MonotonicTime(nanoseconds: 1)
    let connection = HTTP2Connection(scratch: EncodeScratch(), at: now)
    var offset = 0
    input.withUnsafeBytes { input in
      while let event = connection.receive(input, from: &offset, at: now) {
        guard case .opened(let call) = event else { continue }
        precondition(call.metadata.problem == nil, "a call has invalid metadata")
        precondition(head.target == "/\(call.method)" && head.method == "POST", "another request became a call")
        connection.finish(call.stream, with: .ok)
      }
    }
    while connection.hasOutput { connection.drainOutput(at: now) { _ in } }
    precondition(connection.streamCount == 0, "the call has not ended")
  }

  /// Returns a field as a literal in HPACK.
  private static func literal(_ name: String, _ value: String) -> [UInt8] {
    [0] + length(name.utf8.count) + Array(name.utf8) + length(value.utf8.count) + Array(value.utf8)
  }

  /// Returns the length of a literal in HPACK.
  private static func length(_ count: Int) -> [UInt8] {
    guard count >= 127 else { return [UInt8(count)] }
    var (rest, bytes) = (count - 127, [UInt8(127)])
    while rest >= 128 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 128)
      rest >>= 7
    }
    return bytes + [UInt8(rest)]
  }

  // MARK: Bodies

  /// Whether a body is a message, which must not depend on its division.
  private static func isAccepted(_ bytes: [UInt8], _ format: ConnectFormat, pieceSize: Int) -> Bool {
    let whole = message(of: bytes, format, pieceSize: max(1, bytes.count))
    let pieces = message(of: bytes, format, pieceSize: pieceSize)
    switch (whole, pieces) {
    case (.success(let one), .success(let other)):
      precondition(one == other && one.count <= sizeMax && bytes.suffix(one.count) == one[...], "messages differ")
      return true
    case (.failure(let one), .failure(let other)):
      precondition(one.code == other.code, "in pieces: \(other), whole: \(one)")
      return false
    default: preconditionFailure("in pieces: \(pieces), whole: \(whole)")
    }
  }

  private static func message(
    of bytes: [UInt8], _ format: ConnectFormat, pieceSize: Int
  ) -> Result<[UInt8], RPCStatus> {
    var body = ConnectBody(format, sizeMax: sizeMax)
    return Result { () throws(RPCStatus) in
      for start in stride(from: 0, to: bytes.count, by: pieceSize) {
        let piece = Array(bytes[start..<min(start + pieceSize, bytes.count)])
        var problem: RPCStatus?
        piece.withUnsafeBytes { piece in
          do throws(RPCStatus) { try body.append(piece) } catch { problem = error }
        }
        if let problem { throw problem }
        precondition(body.size <= body.bodySizeMax, "a body over its limit is stored")
      }
      return try body.message()
    }
  }
}
