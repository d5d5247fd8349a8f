import MarqueeHTTP
import NIOHTTP1
import Testing

@testable import MarqueeTransport

@Suite("The last head of a connection in HTTP/1.1")
struct HTTP1HeadCacheTests {
  private static let fields: [(String, String)] = [
    ("Host", "localhost:7000"), ("Content-Type", "application/json"), ("Content-Length", "12"),
    ("Authorization", "Bearer K;a"), ("Connect-Timeout-Ms", "1000"), ("X-Note", "one"),
  ]

  private static func received(
    _ fields: [(String, String)] = fields, uri: String = "/test.Echo/Unary", method: HTTPMethod = .POST
  ) -> HTTPRequestHead {
    HTTPRequestHead(version: .http1_1, method: method, uri: uri, headers: HTTPHeaders(fields))
  }

  private static func cache(_ received: HTTPRequestHead) throws -> HTTP1HeadCache? {
    let head = HTTPHead(received)
    return HTTP1HeadCache(received, head, .own, try ConnectRequest(head))
  }

  @Test("The same head, and one with another size of the body, are the same call")
  func same() throws {
    let cache = try #require(try Self.cache(Self.received()))
    #expect(cache.head(ofSame: Self.received()) == HTTPHead(Self.received()))
    var fields = Self.fields
    fields[2].1 = "7654321"
    let longer = Self.received(fields)
    #expect(cache.head(ofSame: longer) == HTTPHead(longer))
    #expect(cache.head(ofSame: longer)?.values(of: "content-length") == ["7654321"])
    // Without a size, a later one is another field.
    fields.remove(at: 2)
    let chunked = try #require(try Self.cache(Self.received(fields)))
    #expect(chunked.head(ofSame: Self.received()) == nil)
    #expect(chunked.head(ofSame: Self.received(fields)) == HTTPHead(Self.received(fields)))
  }

  @Test("A head that differs in anything else is another call")
  func others() throws {
    let cache = try #require(try Self.cache(Self.received()))
    for index in Self.fields.indices {
      var fields = Self.fields
      fields[index].0 += "x"
      #expect(cache.head(ofSame: Self.received(fields)) == nil)
      if index != 2 {
        fields = Self.fields
        fields[index].1 += "0"
        #expect(cache.head(ofSame: Self.received(fields)) == nil)
      }
      fields = Self.fields
      fields.remove(at: index)
      #expect(cache.head(ofSame: Self.received(fields)) == nil)
      fields = Self.fields
      fields.insert(Self.fields[index], at: index)
      #expect(cache.head(ofSame: Self.received(fields)) == nil)
    }
    #expect(cache.head(ofSame: Self.received(uri: "/test.Echo/Unary2")) == nil)
    #expect(cache.head(ofSame: Self.received(method: .GET)) == nil)
    var swapped = Self.fields
    swapped.swapAt(3, 5)
    #expect(cache.head(ofSame: Self.received(swapped)) == nil)
    let old = HTTPRequestHead(
      version: .http1_0, method: .POST, uri: "/test.Echo/Unary", headers: HTTPHeaders(Self.fields))
    #expect(cache.head(ofSame: old) == nil)
  }

  @Test("Texts that are equal only as strings are different")
  func unicode() throws {
    let cache = try #require(try Self.cache(Self.received()))
    // The Kelvin sign and the Greek question mark are canonically equivalent to the letter K and the semicolon.
    for value in ["Bearer \u{212A};a", "Bearer K\u{37E}a"] {
      #expect(value == Self.fields[3].1)
      var fields = Self.fields
      fields[3].1 = value
      #expect(cache.head(ofSame: Self.received(fields)) == nil)
      #expect(try Self.cache(Self.received(fields)) == nil)
    }
  }

  @Test("A large head is not kept")
  func large() throws {
    let note = String(repeating: "a", count: HTTP1HeadCache.sizeMax)
    #expect(try Self.cache(Self.received(Self.fields + [("x-large", note)])) == nil)
  }
}
