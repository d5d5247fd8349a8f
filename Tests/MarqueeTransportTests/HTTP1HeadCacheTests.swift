import MarqueeHTTP
import Testing

@testable import MarqueeTransport

@Suite("The last head of a connection in HTTP/1.1")
struct HTTP1HeadCacheTests {
  private static let fields = [
    "Host: localhost:7000", "Content-Type: application/json", "Content-Length: 12", "Authorization: Bearer K;a",
    "Connect-Timeout-Ms: 1000", "X-Note: one",
  ]

  private static func head(_ fields: [String] = fields, line: String = "POST /test.Echo/Unary HTTP/1.1") -> [UInt8] {
    Array((([line] + fields).joined(separator: "\r\n") + "\r\n\r\n").utf8)
  }

  private static func raw(_ head: [UInt8]) -> HTTP1RawHead? { head.withUnsafeBytes { HTTP1RawHead($0) } }

  private static func converted(_ fields: [String]) -> HTTPHead {
    let fields = fields.filter { !$0.hasPrefix("Host") }.map { field in
      let parts = field.split(separator: ":", maxSplits: 1)
      return HTTPHead.Field(String(parts[0]), String(parts[1]))
    }
    return HTTPHead(method: "POST", target: "/test.Echo/Unary", authority: "localhost:7000", fields: fields)
  }

  private static func cache(_ fields: [String] = fields) throws -> HTTP1HeadCache? {
    let raw = try #require(Self.raw(head(fields)))
    return HTTP1HeadCache(raw, converted(fields), .own, try ConnectRequest(converted(fields)))
  }

  private static func repetition(_ input: [UInt8], _ cache: HTTP1HeadCache) -> HTTP1Repetition? {
    input.withUnsafeBytes { cache.repetition(in: $0) }
  }

  @Test("The same head, and one with another size of the body, are the same call once the body is complete")
  func same() throws {
    let cache = try #require(try Self.cache())
    let body = [UInt8](repeating: 7, count: 20)
    let own = try #require(Self.repetition(Self.head() + body, cache))
    #expect(own.head == Self.converted(Self.fields))
    #expect(own.headSize == Self.head().count && own.bodySize == 12)
    for (length, size) in [("7", 7), ("20", 20), ("0", 0), ("007", 7)] {
      var fields = Self.fields
      fields[2] = "Content-Length: \(length)"
      let other = try #require(Self.repetition(Self.head(fields) + body, cache))
      #expect(other.head == Self.converted(fields))
      #expect(other.headSize == Self.head(fields).count && other.bodySize == size)
    }
    let input = Self.head() + body[..<12]
    for count in 0..<input.count { #expect(Self.repetition(Array(input[..<count]), cache) == nil, "\(count)") }
    #expect(Self.repetition(input, cache) != nil)
  }

  @Test("A head that differs in anything else is another call")
  func others() throws {
    let cache = try #require(try Self.cache())
    let body = [UInt8](repeating: 7, count: 12)
    let head = Self.head()
    for index in head.indices {
      var other = head
      other[index] ^= 0x20
      guard other != head else { continue }
      #expect(Self.repetition(other + body, cache) == nil, "\(index)")
    }
    for length in ["", " ", "x", "-1", "+1", "1x", "12 ", "9999999999", "12, 12"] {
      var fields = Self.fields
      fields[2] = "Content-Length: \(length)"
      #expect(Self.repetition(Self.head(fields) + body, cache) == nil, "\(length)")
    }
    for index in Self.fields.indices {
      var fields = Self.fields
      fields.remove(at: index)
      #expect(Self.repetition(Self.head(fields) + body, cache) == nil)
      fields = Self.fields
      fields.insert(Self.fields[index], at: index)
      #expect(Self.repetition(Self.head(fields) + body, cache) == nil)
    }
  }

  @Test("A head in which decoders could find another end of the request is not kept")
  func ambiguous() throws {
    #expect(Self.raw(Self.head()) != nil)
    #expect(Self.raw(Self.head() + [1, 2])?.requestSize == Self.head().count + 12)
    let note = "X-Large: " + String(repeating: "a", count: HTTP1RawHead.sizeMax)
    for field in [
      note, "Content-Length: 12", "content-length: 13", "X-Note: a\nContent-Length: 5", "X-Note: a\rb", "X-Note: a\tb",
      "X-Note: \u{E9}", "X-Note: a\u{0}b",
    ] {
      #expect(Self.raw(Self.head(Self.fields + [field])) == nil, "\(field)")
    }
    for length in ["", "x", "12 ", "1 2", "+12", "9999999999"] {
      var fields = Self.fields
      fields[2] = "Content-Length: \(length)"
      #expect(Self.raw(Self.head(fields)) == nil, "\(length)")
    }
    var fields = Self.fields
    fields.remove(at: 2)
    #expect(Self.raw(Self.head(fields)) == nil)
    #expect(Self.raw(Self.head(line: "GET / HTTP/1.1")) == nil)
    #expect(Self.raw(Self.head(line: "POST http://localhost/test.Echo/Unary HTTP/1.1")) == nil)
    #expect(Self.raw(Array("\r\n".utf8) + Self.head()) == nil)
    for count in 0..<Self.head().count { #expect(Self.raw(Array(Self.head()[..<count])) == nil) }
  }

  @Test("The head of a call that ends its connection is not kept")
  func lastCall() throws {
    #expect(try Self.cache(Self.fields + ["Connection: close"]) == nil)
    #expect(try Self.cache(Self.fields + ["Upgrade: h2c"]) == nil)
    #expect(try Self.cache(Self.fields + ["Connection: keep-alive"]) != nil)
  }
}
