import MarqueeHTTP
import Testing

@Suite("Files for browsers")
struct StaticFilesTests {
  private static let page = StaticFiles.File(
    paths: ["/", "/stack"], contentType: "text/html", content: Array("page".utf8))
  private static let script = StaticFiles.File(
    paths: ["/console/app.js"], contentType: "text/javascript", content: Array("script".utf8))
  private static let missing = StaticFiles.File(paths: [], contentType: "text/html", content: Array("none".utf8))
  private static let files = StaticFiles(
    [page, script], missing: missing, fields: [HTTPHead.Field("referrer-policy", "no-referrer")])

  private static func response(
    _ target: String, method: String = "GET", _ fields: [(String, String)] = [], of files: StaticFiles = files
  ) -> HTTPResponse? {
    let fields = fields.map { HTTPHead.Field($0.0, $0.1) }
    return files.response(to: HTTPHead(method: method, target: target, authority: "localhost", fields: fields))
  }

  private static func field(_ name: String, of response: HTTPResponse?) -> String? {
    response?.fields.first { $0.name == name }?.value
  }

  @Test("A file is served at each of its paths, whatever the query, with its type and the fields of all files")
  func paths() {
    for target in ["/", "/stack", "/stack?device=kitchen", "/?a=/b.c/d"] {
      let response = Self.response(target)
      #expect(response?.status == 200 && response?.body == Self.page.content && response?.omitsBody == false)
      #expect(Self.field("content-type", of: response) == "text/html")
      #expect(Self.field("cache-control", of: response) == "no-cache")
      #expect(Self.field("referrer-policy", of: response) == "no-referrer")
    }
    #expect(Self.response("/console/app.js")?.body == Self.script.content)
  }

  @Test("Other paths are answered with 404 and the file for it, except the paths of methods")
  func missing() {
    for target in [
      "", "/index.html", "//", "/stack/", "/%73tack", "/console/", "/console/../", "/favicon.ico", "*", "/a.b",
      "/a/b.c",
      "http://localhost/",
    ] {
      let response = Self.response(target)
      #expect(response?.status == 404 && response?.body == Self.missing.content, "\(target)")
    }
    for target in ["/marquee.v1.Admin/ListDevices", "/grpc.health.v1.Health/Check?message=1", "/a.b/", "/test.Echo/x"] {
      #expect(Self.response(target) == nil)
    }
  }

  @Test("Only GET and HEAD are answered, and the response to HEAD has the size of the body without the body")
  func methods() {
    for method in ["POST", "PUT", "OPTIONS", "TRACE", "get", "OTHER", ""] {
      #expect(Self.response("/", method: method) == nil)
    }
    let response = Self.response("/", method: "HEAD")
    #expect(response?.status == 200 && response?.omitsBody == true && response?.body.count == 4)
    #expect(Self.response("/none", method: "HEAD")?.omitsBody == true)
  }

  @Test("A client with the current content receives 304, and one with another content the file")
  func validators() throws {
    let tag = try #require(Self.field("etag", of: Self.response("/")))
    #expect(
      tag.hasPrefix("\"") && tag.hasSuffix("\"") && tag != Self.field("etag", of: Self.response("/console/app.js")))
    for known in [tag, "W/\(tag)", "\"a\", \(tag)", "\"a\",\(tag)", "*"] {
      let response = Self.response("/", [("If-None-Match", known)])
      #expect(response?.status == 304 && response?.body == [] && response?.isBodiless == true, "\(known)")
      #expect(Self.field("etag", of: response) == tag && Self.field("content-type", of: response) == nil)
    }
    for unknown in ["", "\"a\"", String(tag.dropFirst()), "W/", ","] {
      #expect(Self.response("/", [("If-None-Match", unknown)])?.status == 200, "\(unknown)")
    }
    #expect(Self.response("/none", [("If-None-Match", "*")])?.status == 404)
  }

  @Test("Without files, no request is answered")
  func none() {
    #expect(Self.response("/", of: StaticFiles()) == nil)
  }
}
