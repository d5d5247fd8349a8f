import Testing

@testable import MarqueeHTTP

@Suite("Hosts and origins")
struct OriginsTests {
  private static let origins = Origins(
    hosts: ["Marquee.example.com", "[2001:db8::1]"], origins: ["https://home.example.com", "http://127.0.0.1:8080"])

  private static func head(_ fields: [(String, String)], authority: String = "localhost:7400") -> HTTPHead {
    HTTPHead(method: "POST", target: "/a/b", authority: authority, fields: fields.map { .init($0.0, $0.1) })
  }

  @Test(
    "A host is allowed as a whole, after its port and a final dot are removed",
    arguments: [
      ("localhost", true), ("LocalHost:7400", true), ("localhost.", true), ("localhost.:80", true),
      ("localhost:", true), ("127.0.0.1:1", true), ("[::1]", true), ("[::1]:7400", true), ("192.168.1.9:7400", true),
      ("marquee.example.com", true), ("MARQUEE.EXAMPLE.COM.:443", true), ("[2001:DB8::1]:7400", true),
      ("127.0.0.1.evil.com", false), ("localhost.evil.com", false), ("evil.com", false), ("localhost..", false),
      ("", false), (".", false), (":80", false), ("::1", false), ("[::1", false), ("[::1]x", false), ("[]", false),
      ("localhost:80:80", false), ("localhost:http", false), ("localhost:123456", false), ("user@localhost", false),
      ("localhost@evil.com", false), ("localhost/", false), ("localhost ", false), ("localhost\t", false),
      ("127.1", false), ("2130706433", false), ("0x7f.0.0.1", false), ("0.0.0.0", false), ("xlocalhost", false),
      ("foo.localhost", false), ("l\u{F6}calhost", false), ("localhost%00", false),
    ])
  func hosts(authority: String, isAllowed: Bool) {
    #expect(Self.origins.allowsHost(authority, boundTo: "192.168.1.9") == isAllowed)
  }

  @Test(
    "Addresses are compared by value, and a socket for both versions of IP reports IPv4 addresses in a form of IPv6",
    arguments: [
      ("192.0.2.2:7400", "::ffff:192.0.2.2", true), ("127.0.0.2", "::ffff:127.0.0.2", true),
      ("[2001:DB8:0:0::1]:7400", "2001:db8::1", true), ("[fe80::1]", "fe80::1%eth0", true),
      ("[::ffff:192.0.2.2]", "192.0.2.2", true), ("192.0.2.3", "::ffff:192.0.2.2", false),
      ("192.0.2.02", "192.0.2.2", false), ("[2001:db8::1::]", "2001:db8::1", false),
      ("[2001:db8:::1]", "2001:db8::1", false), ("[:1]", "0:0:0:0:0:0:0:2", false),
      ("[1:2:3:4:5:6:7:8:9]", "1:2:3:4:5:6:7:8", false),
      ("[1:2:3:4:5:6:7:8]", "1:2:3:4:5:6:7:8", true), ("example.com", "::ffff:192.0.2.2", false),
    ])
  func addresses(authority: String, address: String, isAllowed: Bool) {
    #expect(Self.origins.allowsHost(authority, boundTo: address) == isAllowed)
  }

  @Test("A request is from its own origin, an allowed one, or a foreign one")
  func relations() {
    func relation(_ origin: String, _ authority: String = "localhost:7400", tls: Bool = false) -> Origins.Relation {
      Self.origins.relation(of: Self.head([("Origin", origin)], authority: authority), isEncrypted: tls)
    }
    #expect(Self.origins.relation(of: Self.head([]), isEncrypted: false) == .own)
    #expect(relation("http://localhost:7400") == .own && relation("http://LOCALHOST:7400") == .own)
    #expect(relation("https://localhost:7400", tls: true) == .own)
    #expect(relation("https://localhost", "localhost:443", tls: true) == .own)
    #expect(relation("http://localhost:80", "localhost") == .own)
    #expect(relation("https://home.example.com") == .allowed("https://home.example.com"))
    #expect(relation("http://127.0.0.1:8080") == .allowed("http://127.0.0.1:8080"))
    for origin in [
      "http://localhost", "https://localhost:7400", "http://localhost:7401", "http://127.0.0.1:7400", "null", "*", "",
      "https://home.example.com.", "https://home.example.com:443", "http://home.example.com",
      "https://home.example.com.evil.com", "https://evil.com/https://home.example.com", "file://", "localhost:7400",
    ] {
      #expect(relation(origin) == .foreign, "\(origin)")
    }
    let two = Self.head([("origin", "https://home.example.com"), ("origin", "https://home.example.com")])
    #expect(Self.origins.relation(of: two, isEncrypted: false) == .foreign)
  }

  @Test("A preflight request of an allowed origin for a POST with the protocol's fields is answered exactly")
  func preflight() {
    func fields(_ origin: String, _ method: String, _ requested: String?) -> [HTTPHead.Field]? {
      var fields = [("origin", origin), ("access-control-request-method", method)]
      if let requested { fields.append(("access-control-request-headers", requested)) }
      let head = Self.head(fields)
      return Self.origins.preflightFields(head, Self.origins.relation(of: head, isEncrypted: false))
    }
    let home = "https://home.example.com"
    let answer = fields(home, "POST", "content-type, Authorization,connect-protocol-version")
    #expect(answer?.first { $0.name == "access-control-allow-origin" }?.value == home)
    #expect(answer?.first { $0.name == "access-control-allow-methods" }?.value == "POST")
    #expect(answer?.first { $0.name == "vary" }?.value == "Origin")
    #expect(answer?.contains { $0.value.contains("*") || $0.name.hasSuffix("credentials") } == false)
    #expect(fields(home, "POST", nil) != nil)
    #expect(fields(home, "GET", nil) == nil && fields(home, "POST", "cookie") == nil)
    #expect(fields("https://evil.example", "POST", nil) == nil && fields("null", "POST", nil) == nil)
  }

  @Test("Responses vary by origin only if origins are configured, and name an allowed one only")
  func responseFields() {
    #expect(Origins().fields(for: .own).isEmpty && Origins().fields(for: .foreign).isEmpty)
    #expect(Self.origins.fields(for: .own) == [.init("vary", "Origin")])
    let fields = Self.origins.fields(for: .allowed("https://home.example.com"), exposing: ["trailer-x"])
    #expect(fields.map(\.name) == ["access-control-allow-origin", "access-control-expose-headers", "vary"])
  }

  @Test("Settings are hosts without ports, and origins with a scheme")
  func settings() {
    for host in ["a.example", "10.0.0.1", "[2001:db8::1]"] { #expect(Origins.isHost(host)) }
    for host in ["", "a.example:80", "*", "*.example", "a/b", "http://a.example", "a.example."] {
      #expect(!Origins.isHost(host), "\(host)")
    }
    for origin in ["https://a.example", "http://localhost:8080", "http://[::1]:8080", "https://a.example:80"] {
      #expect(Origins.isOrigin(origin))
    }
    for origin in [
      "", "*", "null", "a.example", "https://", "https://a.example/", "https://A.example", "ws://a.example",
      // Browsers omit the port of the scheme.
      "https://a.example:443", "http://[::1]:80", "http://a.example:",
    ] {
      #expect(!Origins.isOrigin(origin), "\(origin)")
    }
  }
}
