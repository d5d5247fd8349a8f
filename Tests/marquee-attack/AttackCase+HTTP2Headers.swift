import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire

extension AttackCase {
  /// Invalid frames of HTTP/2, and expensive header lists.
  static let http2Headers = [
    AttackCase(
      number: 66, summary: "HTTP/2: header blocks that never end (CONTINUATION flood)", growthMax: 8,
      count: .failed("protocolError"), way: .again { _, endpoint in try await continueForever(endpoint) }),
    AttackCase(
      number: 67, summary: "HTTP/2: header blocks of 147 KB that expand to 600 MB (HPACK bomb), invalid compression",
      growthMax: 8, count: .failed("flood"), way: .again { _, endpoint in try await expand(endpoint) }),
    AttackCase(
      number: 68, summary: "HTTP/2: header lists of 100 KB, 65 metadata pairs, a value of 70 KB, a path of 300 bytes",
      growthMax: 8, way: .again { _, endpoint in try await sendLargeHeaders(endpoint) }),
    AttackCase(
      number: 69, summary: "HTTP/2: even, decreasing, reused and idle streams, frames of a wrong size or state",
      growthMax: 4, count: .failed("protocolError"), way: .again { _, endpoint in try await misuse(endpoint) }),
  ]

  // MARK: Continuation

  private static let unended = HTTP2Frame(type: 1, stream: 1, payload: HPACK.request(HTTP2Frame.checkPath)).bytes

  private static func continuation(_ payload: [UInt8]) -> [UInt8] {
    HTTP2Frame(type: 9, stream: 1, payload: payload).bytes
  }

  private static let endless: [(name: String, bytes: [UInt8], code: UInt32)] = [
    ("empty", unended + copies(100_000, of: continuation([])), 1),
    ("of one byte", unended + copies(100_000, of: continuation(HPACK.reference(1))), 1),
    ("of 16 KiB", unended + copies(500, of: continuation(copies(4_096, of: HPACK.literal("a", "")))), 11),
    ("without HEADERS", continuation(HPACK.reference(1)), 1),
    ("interrupted", unended + HTTP2Frame(type: 6, payload: [UInt8](repeating: 1, count: 8)).bytes, 1),
    ("of another stream", unended + HTTP2Frame(type: 9, stream: 3).bytes, 1),
  ]

  private static func continueForever(_ endpoint: Endpoint) async throws -> String {
    var longest = Duration.zero
    for (name, bytes, code) in endless {
      var attacker = try await HTTP2Attacker(endpoint)
      attacker.push(bytes)
      longest = max(longest, try await attacker.rejection(code, "CONTINUATION \(name)"))
    }
    try require(longest < .seconds(5), "closed after \(longest.words)")
    return "\(endless.count) kinds, each GOAWAY within \(longest.words)"
  }

  // MARK: Compression

  private static let tableEntry = HPACK.literal("a", String(repeating: "b", count: 4_000), isIndexed: true)
  private static let references = [UInt8](
    repeating: HPACK.reference(HPACK.newestIndex)[0], count: 9 * HTTP2Frame.sizeMax - 5_000)

  private static let invalidBlocks: [(name: String, block: [UInt8])] = [
    ("an index that does not exist", HPACK.reference(HPACK.newestIndex)), ("index 0", HPACK.reference(0)),
    ("a table over its limit", HPACK.tableSize(HPACK.tableSizeMax + 1)),
    ("a change of the table after a field", HPACK.literal("a", "b") + HPACK.tableSize(0)),
    ("an index without an end", [UInt8](repeating: 0xFF, count: 100)),
    ("a length of 4 GiB", [0x40] + HPACK.integer(1 << 32, bits: 7)),
    ("an invalid Huffman code", [0x40, 0x84, 0xFF, 0xFF, 0xFF, 0xFF, 0]),
  ]

  private static func expand(_ endpoint: Endpoint) async throws -> String {
    let bomb = HTTP2Frame.headers(1, HPACK.request(HTTP2Frame.checkPath) + tableEntry + references)
    let time = try await HTTP2Attacker.rejection(of: bomb, on: endpoint, code: 11)
    for (name, block) in invalidBlocks {
      var attacker = try await HTTP2Attacker(endpoint)
      attacker.push(HTTP2Frame.headers(1, block))
      _ = try await attacker.rejection(9, name)
    }
    // The server's own table does not grow with the client's limit.
    let setting = HTTP2Frame.setting(1, .max)
    var changing = try await HTTP2Attacker(endpoint, settings: setting)
    let changes = copies(4_000, of: HPACK.tableSize(0) + HPACK.tableSize(HPACK.tableSizeMax))
    changing.push(HTTP2Frame.headers(1, changes + HPACK.request(HTTP2Frame.checkPath)) + HTTP2Frame.message(1))
    try require(try await changing.response(of: 1).code == "0", "a call after 8000 changes of the table failed")
    try await changing.vanish()
    return "GOAWAY after \(time.words); \(invalidBlocks.count) kinds of invalid compression, each GOAWAY"
  }

  // MARK: Header lists

  private static let largeLists: [(name: String, fields: [(name: String, value: String)], path: String, code: String)] =
    [
      ("100 KB", (0..<100).map { ("a\($0)", String(repeating: "b", count: 1_000)) }, HTTP2Frame.checkPath, "8"),
      ("3000 fields", (0..<3_000).map { ("a\($0)", "") }, HTTP2Frame.checkPath, "8"),
      ("65 pairs", (0..<65).map { ("a\($0)", "b") }, HTTP2Frame.checkPath, "8"),
      ("a field of 60 KB", [("a", String(repeating: "b", count: 60_000))], HTTP2Frame.checkPath, "8"),
      ("a path of 300 bytes", [], String(repeating: "a", count: 300), "12"),
      ("a malformed timeout", [("grpc-timeout", "1x")], HTTP2Frame.checkPath, "3"),
      ("a compressed request", [("grpc-encoding", "gzip")], HTTP2Frame.checkPath, "12"),
    ]

  private static func sendLargeHeaders(_ endpoint: Endpoint) async throws -> String {
    var attacker = try await HTTP2Attacker(endpoint)
    var stream: UInt32 = 1
    for (name, fields, path, code) in largeLists {
      attacker.push(HTTP2Frame.headers(stream, HPACK.request(path, fields)) + HTTP2Frame.message(stream))
      let response = try await attacker.response(of: stream)
      try require(response.code == code, "\(name): code \(response.code ?? "none")")
      attacker.push(HTTP2Frame.call(stream + 2))
      try require(try await attacker.response(of: stream + 2).code == "0", "the call after \(name) failed")
      stream += 4
    }
    let value = HPACK.request(HTTP2Frame.checkPath, [("a", String(repeating: "b", count: 70_000))])
    attacker.push(HTTP2Frame.headers(stream, value))
    // The library's limit of a field, 64 KiB, leaves the compression's state undefined.
    _ = try await attacker.rejection(9, "a field of 70 KB")
    return "\(largeLists.count) kinds, each the call's own error; a field of 70 KB, GOAWAY"
  }

  // MARK: Misuse

  private static let opened = HTTP2Frame.open(1, ProviderService.provide.path)

  private static let misuses: [(bytes: [UInt8], code: UInt32)] = [
    (HTTP2Frame.open(2, HTTP2Frame.checkPath), 1), (HTTP2Frame.open(0, HTTP2Frame.checkPath), 1),
    (HTTP2Frame.data(0, [1]), 1), (HTTP2Frame.data(5, [1]), 1), (HTTP2Frame.reset(0), 1), (HTTP2Frame.reset(5), 1),
    (HTTP2Frame.credit(5, 1), 1), (HTTP2Frame.credit(0, 0), 1), (opened + HTTP2Frame.credit(1, 0), 1),
    (copies(2, of: HTTP2Frame.credit(0, 0x7FFF_FFFF)), 3),
    (HTTP2Frame(type: 5, flags: 4, stream: 1, payload: [0, 0, 0, 2, 0x82]).bytes, 1),
    (HTTP2Frame(type: 4, stream: 1).bytes, 1), (HTTP2Frame(type: 4, payload: [0, 4, 0]).bytes, 6),
    (HTTP2Frame(type: 4, payload: HTTP2Frame.setting(2, 2)).bytes, 1),
    (HTTP2Frame(type: 4, payload: HTTP2Frame.setting(4, 0x8000_0000)).bytes, 3),
    (HTTP2Frame(type: 4, payload: HTTP2Frame.setting(5, 1)).bytes, 1),
    (HTTP2Frame(type: 4, flags: 1, payload: [0]).bytes, 6),
    (HTTP2Frame(type: 6, payload: [0]).bytes, 6),
    (HTTP2Frame(type: 6, stream: 1, payload: [UInt8](repeating: 0, count: 8)).bytes, 1),
    (HTTP2Frame(type: 8, payload: [0]).bytes, 6), (opened + HTTP2Frame(type: 3, stream: 1, payload: [0]).bytes, 6),
    (HTTP2Frame(type: 2, stream: 1, payload: [0]).bytes, 6),
    (opened + HTTP2Frame(type: 0, flags: 8, stream: 1, payload: [9, 0]).bytes, 1),
    (opened + HTTP2Frame(type: 0, stream: 1, payload: [UInt8](repeating: 0, count: 16_385)).bytes, 6),
    ([0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0, 1], 6),
    (HTTP2Frame.open(1, ProviderService.provide.path, endsStream: true) + HTTP2Frame.data(1, [1]), 5),
    (HTTP2Frame.open(1, ProviderService.provide.path, endsStream: true) + opened, 5),
  ]

  private static func misuse(_ endpoint: Endpoint) async throws -> String {
    var longest = Duration.zero
    for (bytes, code) in misuses {
      longest = max(longest, try await HTTP2Attacker.rejection(of: bytes, on: endpoint, code: code))
    }
    try require(longest < .seconds(5), "closed after \(longest.words)")
    var decreasing = try await HTTP2Attacker(endpoint)
    decreasing.push(HTTP2Frame.call(5))
    try require(try await decreasing.response(of: 5).code == "0", "the first call failed")
    decreasing.push(HTTP2Frame.call(3) + HTTP2Frame.call(5) + HTTP2Frame.call(7))
    let frames = try await decreasing.frames { $0.stream == 7 && $0.endsStream }
    try require(frames.allSatisfy { $0.stream == 7 || $0.stream == 0 }, "a closed stream was used")
    try await decreasing.vanish()
    return "\(misuses.count) kinds, each GOAWAY within \(longest.words); closed and skipped streams are ignored"
  }
}
