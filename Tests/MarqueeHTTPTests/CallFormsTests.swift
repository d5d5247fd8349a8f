import MarqueeRPC
import Testing

@testable import MarqueeHTTP

/// The responses to requests in another form than that of a call.
@Suite struct CallFormsTests {
  private static let advice =
    "Send the content type application/json or application/proto to a method with one response, and "
    + "application/connect+json or application/connect+proto to a method that streams its responses."

  private static func text(_ response: HTTPResponse) -> String { String(decoding: response.body, as: UTF8.self) }

  private static func rejection(
    method: String = "POST", _ types: [String], servesGRPCWeb: Bool = false
  ) -> HTTPResponse? {
    let head = HTTPHead(
      method: method, target: "/a.B/<b>", authority: "localhost", fields: types.map { .init("content-type", $0) })
    do throws(ConnectRequest.Rejection) {
      _ = try ConnectRequest(head, servesGRPCWeb: servesGRPCWeb)
      return nil
    } catch {
      guard case .response(let response) = error else { return nil }
      return response
    }
  }

  @Test(
    "The response to another content type says what to send, and names the one received only if it is known",
    arguments: [
      ([], "The request has no content type."),
      (["application/x-www-form-urlencoded"], "The request has application/x-www-form-urlencoded."),
      (["Application/JSON; charset=latin1"], "The request has application/json."),
      (["text/html"], "That of the request is not supported."),
      (["<script>\"</script>"], "That of the request is not supported."),
      (["text/plain", "text/plain"], "That of the request is not supported."),
      ([String(repeating: "a", count: 100_000)], "That of the request is not supported."),
    ] as [([String], String)])
  func contentTypes(types: [String], seen: String) throws {
    let response = try #require(Self.rejection(types))
    #expect(response.status == 415 && Self.text(response) == "\(Self.advice) \(seen)\n")
    #expect(response.fields.contains(.init("content-type", "text/plain; charset=utf-8")) && !response.omitsBody)
  }

  @Test("The content types of all protocols that are served are in accept-post, and no others")
  func acceptPost() throws {
    let connect = "application/connect+proto, application/connect+json, application/proto, application/json"
    let web =
      "application/grpc-web, application/grpc-web+proto, application/grpc-web-text, application/grpc-web-text+proto"
    let grpc = "application/grpc, application/grpc+proto"
    #expect(try #require(Self.rejection([])).fields.first == .init("accept-post", connect))
    let withWeb = try #require(Self.rejection([], servesGRPCWeb: true))
    #expect(withWeb.fields.first == .init("accept-post", "\(connect), \(web)"))
    var protocols = HTTP2Protocols()
    let all = protocols.forms.wrongContentType()
    #expect(all.fields.first == .init("accept-post", "\(connect), \(web), \(grpc)"))
    #expect(Self.text(all) == "\(Self.advice)\n")
    protocols.servesConnect = false
    let other = protocols.forms.wrongContentType()
    #expect(other.fields.first == .init("accept-post", "\(web), \(grpc)"))
    #expect(Self.text(other) == "Send the content type application/grpc or application/grpc-web.\n")
  }

  @Test("The response to another method of HTTP names POST, and has no body for HEAD")
  func methods() throws {
    for method in ["GET", "PUT", "HEAD"] {
      let response = try #require(Self.rejection(method: method, []))
      #expect(response.status == 405 && response.fields.first == .init("allow", "POST"))
      #expect(Self.text(response) == "Methods are called with POST. \(Self.advice)\n")
      #expect(response.omitsBody == (method == "HEAD"))
    }
  }
}
