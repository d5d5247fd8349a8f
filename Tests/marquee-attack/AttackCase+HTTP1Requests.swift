import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire
import NIOCore

extension AttackCase {
  /// Malformed, ambiguous, large and slow requests of HTTP/1.1.
  static let http1Requests = [
    AttackCase(
      number: 73, summary: "HTTP/1.1: requests with ambiguous ends (request smuggling), malformed heads and chunks",
      growthMax: 8, count: .failed("protocolError"), way: .again { _, endpoint in try await smuggle(endpoint) }),
    AttackCase(
      number: 74, summary: "HTTP/1.1: huge chunks, 100 000 chunks of one byte, chunk extensions of 8 MB",
      growthMax: 16, way: .again { _, endpoint in try await sendChunks(endpoint) }),
    AttackCase(
      number: 75, summary: "HTTP/1.1: heads and trailers of 100 KB or 10 000 fields, 65 metadata pairs, no values",
      growthMax: 8, way: .again { _, endpoint in try await sendLargeHeads(endpoint) }),
    AttackCase(
      number: 76, summary: "HTTP/1.1: heads, bodies, chunks and trailers of one byte per second, or incomplete",
      count: .failed("frameTimeout"), way: .waiting { harness in try await sendSlowRequests(harness) }),
  ]

  private static let start = HTTP1Attacker.start()
  private static let chunked = start + "Transfer-Encoding: chunked\r\n\r\n"

  // MARK: Smuggling

  /// A request that an attacker hides in the body of another one.
  private static let smuggled = "POST /marquee.v1.Admin/ListDevices HTTP/1.1\r\nHost: localhost\r\n\r\n"

  private static let ambiguous: [String] =
    [
      "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      "Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n",
      "Content-Length: 0\r\nContent-Length: 5\r\n\r\n", "Content-Length: 0\r\nContent-Length: 0\r\n\r\n",
      "Content-Length: 0, 5\r\n\r\n", "Content-Length: +5\r\n\r\n", "Content-Length: 0x5\r\n\r\n",
      "Content-Length: -1\r\n\r\n", "Content-Length: 99999999999999999999\r\n\r\n", "Content-Length : 0\r\n\r\n",
      "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n", "Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n",
      "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n",
      "X: a\r\n Content-Length: 5\r\n\r\n", "X: a\n\r\n", "X: a\rContent-Length: 5\r\n\r\n", "X: a\u{0}b\r\n\r\n",
      "X\u{1}: a\r\n\r\n", ": a\r\n\r\n", "no colon\r\n\r\n",
    ].map { start + $0 + smuggled }

  private static let malformedRequests = [
    "POST /a.B/C HTTP/1.1\nHost: localhost\nContent-Length: 0\n\n",
    "POST /a.B/C\r\n\r\n", "POST /a.B/C FTP/1.1\r\n\r\n", "FOO / HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "POST /a b HTTP/1.1\r\nHost: localhost\r\n\r\n",
    chunked + "x\r\n", chunked + "-1\r\n", chunked + "1\nx\n0\n\n", chunked + "1\r\nxx",
    chunked + "fffffffffffffffff\r\n", chunked + "\r\n",
  ]

  private static func smuggle(_ endpoint: Endpoint) async throws -> String {
    let requests = ambiguous + malformedRequests
    for request in requests {
      var attacker = try await HTTP1Attacker(endpoint)
      attacker.push(request)
      let response = try await attacker.response("to \(request.debugDescription)")
      // A line that ends without CR after the version is an invalid version, and some of the codings are unknown.
      let isRefused = [400, 501, 505].contains(response.status) && response["connection"] == "close"
      try require(isRefused, "status \(response.status) for \(request.debugDescription)")
      try await attacker.end("to \(request.debugDescription)")
    }
    return "\(requests.count) kinds, each answered once and closed"
  }

  // MARK: Chunks

  private static let short = String(repeating: "x", count: 100)

  private static let chunkBombs: [(name: String, bytes: [UInt8], statuses: [Int])] = [
    ("a chunk of 4 GiB", Array((chunked + "ffffffff\r\n" + String(repeating: "a", count: 8_192)).utf8), [413]),
    ("a chunk of 8 EiB", Array((chunked + "7fffffffffffffff\r\n" + String(repeating: "a", count: 8_192)).utf8), [413]),
    ("100 000 chunks", Array(chunked.utf8) + copies(100_000, of: Array("1\r\na\r\n".utf8)), [413]),
    (
      "100 000 chunks after a rejection",
      Array((HTTP1Attacker.start("a.B/C") + "Transfer-Encoding: chunked\r\n\r\n").utf8)
        + copies(100_000, of: Array("1\r\na\r\n".utf8)), [404]
    ),
    (
      "extended chunks", Array(chunked.utf8) + copies(10_000, of: Array("1;e=\(short)\r\na\r\n".utf8)),
      [413]
    ),
    // An extension is no content: the request is a message of one byte, which is malformed.
    (
      "an extension of 8 MB",
      Array((chunked + "1;e=").utf8) + [UInt8](repeating: 0x78, count: 8 << 20) + Array("\r\na\r\n0\r\n\r\n".utf8),
      [400]
    ),
    ("leading zeros", Array((chunked + String(repeating: "0", count: 1_000) + "1\r\na\r\n0\r\n\r\n").utf8), [400]),
  ]

  private static func sendChunks(_ endpoint: Endpoint) async throws -> String {
    for (name, bytes, statuses) in chunkBombs {
      let response = try await HTTP1Attacker.answer(bytes, on: endpoint, name)
      try require(statuses.contains(response.status), "status \(response.status) for \(name)")
    }
    return "\(chunkBombs.count) kinds, each rejected by the size of its content"
  }

  // MARK: Heads

  private static let long = String(repeating: "a", count: 100_000)
  private static let empty = "Content-Length: 0\r\n\r\n"

  private static let largeHeads: [(name: String, text: String, status: Int)] = [
    ("a field of 100 KB", start + "X: \(long)\r\n" + empty, 431),
    ("a name of 100 KB", start + "\(long): x\r\n" + empty, 431),
    ("a target of 100 KB", "POST /\(long) HTTP/1.1\r\nHost: localhost\r\n" + empty, 431),
    ("a method of 100 KB", long.uppercased() + " / HTTP/1.1\r\nHost: localhost\r\n" + empty, 400),
    ("10 000 fields", start + (0..<10_000).map { "X-\($0): a\r\n" }.joined() + empty, 431),
    ("65 pairs", start + (0..<65).map { "X-\($0): a\r\n" }.joined() + empty, 429),
    ("trailers of 100 KB", chunked + "0\r\nX: \(long)\r\n\r\n", 400),
    ("10 000 trailers", chunked + "0\r\n" + (0..<10_000).map { "X-\($0): a\r\n" }.joined() + "\r\n", 400),
    ("empty values", start + "X:\r\nY: \r\n" + empty, 200),
    ("empty trailers", chunked + "0\r\nX:\r\nY: \r\n\r\n", 200),
    ("a version of HTTP/2", "POST /\(HTTP2Frame.checkPath) HTTP/2.0\r\nHost: localhost\r\n" + empty, 505),
    ("HTTP/1.0", start.replacing("HTTP/1.1", with: "HTTP/1.0") + empty, 200),
    ("an expectation", start + "Expect: 200-ok\r\n" + empty, 417),
    ("CONNECT", "CONNECT localhost:1 HTTP/1.1\r\nHost: localhost\r\n\r\n", 405),
    ("an upgrade", start + "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n" + empty, 200),
  ]

  private static func sendLargeHeads(_ endpoint: Endpoint) async throws -> String {
    for (name, text, status) in largeHeads {
      let response = try await HTTP1Attacker.answer(Array(text.utf8), on: endpoint, name)
      try require(response.status == status, "status \(response.status) for \(name)")
    }
    return "\(largeHeads.count) kinds, each with its own status"
  }

  // MARK: Slow senders

  private static func sendSlowRequests(_ harness: AttackHarness) async throws -> String {
    let (tcp, unix, zeros) = (harness.tcp, harness.unix, String(repeating: "0", count: 60))
    async let head = slow("", start, on: tcp, status: 408, within: 4.9...7)
    async let half = slow("POST /a.B/C HTTP/1.1\r\n", "", on: unix, status: 408, within: 4.9...7)
    async let second = slow(start + empty, start, on: unix, status: 408, within: 10.9...13, isSecond: true)
    async let none = slow(start + "Content-Length: 5\r\n\r\n", "", on: tcp, status: 429, within: 9.9...12)
    async let body = slow(start + "Content-Length: 100\r\n\r\na", long, on: unix, status: 429, within: 29.9...32)
    async let size = slow(chunked + "1\r\na\r\n", zeros, on: tcp, status: 429, within: 29.9...32)
    async let trailer = slow(chunked + "1\r\na\r\n0\r\nX: ", long, on: unix, status: 429, within: 29.9...32)
    let heads = [try await head, try await half, try await second].map(\.words)
    let bodies = [try await none, try await body, try await size, try await trailer].map(\.words)
    return "heads closed after \(heads.joined(separator: ", ")), bodies after \(bodies.joined(separator: ", "))"
  }

  /// Returns the time until the server answers a request that is sent in one part, and then byte by byte, and closes.
  private static func slow(
    _ first: String, _ rest: String, on endpoint: Endpoint, status: Int, within seconds: ClosedRange<Double>,
    isSecond: Bool = false
  ) async throws -> Duration {
    var slow = try await HTTP1Attacker(endpoint, within: .seconds(seconds.upperBound + 2))
    slow.push(first)
    if isSecond { try require(try await slow.response().status == 200, "the first request failed") }
    slow.push(String(rest.prefix(60)), each: .seconds(1))
    let response = try await slow.response("to a slow request")
    let time = slow.time
    try require(response.status == status, "status \(response.status) after \(time.words), not \(status)")
    try require(seconds.contains(time / .seconds(1)), "answered after \(time.words), not in \(seconds) s")
    try await slow.end("to a slow request")
    return time
  }
}
