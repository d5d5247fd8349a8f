import MarqueeHTTP
import MarqueeRPC
import Testing

/// The responses to requests in another form than that of a call.
@Suite struct CallFormsTests {
  private static let kinds: [String: CallKind] = [
    "a.B/One": .unary, "a.B/Watch": .serverStreaming, "a.B/Sum": .clientStreaming, "a.B/Chat": .bidirectional,
  ]
  /// The forms of a server that serves all protocols, over HTTP/1.1.
  private static let forms = CallForms(kinds, servesGRPCWeb: true)

  private static func text(_ response: HTTPResponse) -> String { String(decoding: response.body, as: UTF8.self) }

  private static func accepted(_ response: HTTPResponse) -> String? {
    response.fields.first { $0.name == "accept-post" }?.value
  }

  private static func rejection(_ head: HTTPHead, _ forms: CallForms = forms) -> HTTPResponse? {
    do throws(ConnectRequest.Rejection) {
      _ = try ConnectRequest(head, forms)
      return nil
    } catch {
      guard case .http(let response) = error else { return nil }
      return response
    }
  }

  @Test(
    "The response to another content type says what was sent and what the method takes",
    arguments: [
      (
        "/a.B/Watch", ["application/json"],
        "a.B/Watch streams its responses. Send the content type application/connect+json or application/connect+proto. "
          + "The request has application/json.\n"
      ),
      (
        "a.B/One?x=1", ["Application/Connect+JSON; a=b"],
        "a.B/One has one response. Send the content type application/json or application/proto. "
          + "The request has application/connect+json.\n"
      ),
      (
        "/a.B/One", ["application/x-www-form-urlencoded"],
        "a.B/One has one response. Send the content type application/json or application/proto. "
          + "The request has application/x-www-form-urlencoded.\n"
      ),
      (
        "/a.B/One", ["application/json; charset=iso-8859-1"],
        "a.B/One has one response. Send the content type application/json or application/proto. "
          + "The request has application/json with a parameter that is not supported.\n"
      ),
      (
        "/a.B/Watch", ["application/connect+proto;charset=utf-8"],
        "a.B/Watch streams its responses. Send the content type application/connect+json or application/connect+proto. "
          + "The request has application/connect+proto with a parameter that is not supported.\n"
      ),
      (
        "/a.B/Chat", [],
        "a.B/Chat streams requests, which requires gRPC over HTTP/2. It is not served over this version of HTTP. "
          + "The request has no content type.\n"
      ),
      (
        "/<script>", ["<script>\"", "text/plain"],
        "Send the content type application/json, application/proto, application/connect+json or "
          + "application/connect+proto. That of the request is not supported.\n"
      ),
    ])
  func contentTypes(target: String, types: [String], expected: String) {
    let response = Self.forms.wrongContentType(target, types)
    #expect(response.status == 415 && Self.text(response) == expected)
    #expect(response.fields.contains(.init("content-type", "text/plain; charset=utf-8")))
  }

  @Test("All content types of a method's calls are in accept-post, and no others")
  func acceptPost() {
    let web =
      "application/grpc-web, application/grpc-web+proto, application/grpc-web-text, "
      + "application/grpc-web-text+proto"
    let one = Self.accepted(Self.forms.wrongContentType("/a.B/One", []))
    #expect(one == "application/proto, application/json, \(web)")
    #expect(Self.accepted(Self.forms.wrongContentType("/a.B/Chat", [])) == nil)
    var forms = Self.forms
    forms.servesGRPC = true
    let grpc = "application/grpc, application/grpc+proto"
    #expect(Self.accepted(forms.wrongContentType("/a.B/Sum", [])) == "\(web), \(grpc)")
    (forms.servesJSON, forms.servesGRPCWeb) = (false, false)
    #expect(Self.accepted(forms.wrongContentType("/a.B/Watch", [])) == "application/connect+proto, \(grpc)")
    forms.servesConnect = false
    #expect(Self.accepted(forms.wrongContentType("/", [])) == grpc)
    #expect(Self.text(forms.wrongContentType("/", [])).hasPrefix("Send the content type application/grpc or "))
  }

  @Test("The response to another method of HTTP names POST or the methods of a file, and has no body for HEAD")
  func methods() throws {
    var forms = Self.forms
    for method in ["GET", "PUT", "HEAD"] {
      let response = try #require(
        Self.rejection(HTTPHead(method: method, target: "/a.B/One?q=<b>", authority: "localhost", fields: [])))
      #expect(response.status == 405 && response.fields.contains(.init("allow", "POST")))
      #expect(response.omitsBody == (method == "HEAD"))
      let text = "a.B/One is called with POST. Send the content type application/json or application/proto.\n"
      #expect(Self.text(response) == text)
    }
    forms.files = StaticFiles(
      [.init(paths: ["/", "/app.js"], contentType: "text/javascript", content: [])],
      missing: .init(paths: [], contentType: "text/html", content: []), fields: [])
    for (target, path) in [("/?device=a", "/"), ("/app.js", "/app.js")] {
      let response = try #require(
        Self.rejection(HTTPHead(method: "PUT", target: target, authority: "localhost", fields: []), forms))
      #expect(response.status == 405 && response.fields.contains(.init("allow", "GET, HEAD")))
      #expect(Self.text(response) == "\(path) is a file, which is read with GET.\n")
    }
    let other = HTTPHead(method: "PUT", target: "/none", authority: "localhost", fields: [])
    #expect(Self.rejection(other, forms)?.fields.contains(.init("allow", "POST")) == true)
    let long = HTTPHead(
      method: "GET", target: "/" + String(repeating: "a", count: 100_000), authority: "localhost", fields: [])
    #expect(try #require(Self.rejection(long)).body.count < 200)
  }
}
