import Foundation
import Testing

/// The parts of `Protos/openapi.json` that are those of the Connect protocol.
@Suite struct OpenAPITests {
  private typealias Object = [String: Any]

  private static func document() throws -> Object {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let data = try Data(contentsOf: root.appending(path: "Protos/openapi.json"))
    return try #require(try JSONSerialization.jsonObject(with: data) as? Object)
  }

  private static func object(_ value: Any?, _ path: String...) throws -> Object {
    try path.reduce(try #require(value as? Object)) { try #require($0[$1] as? Object, "\($1)") }
  }

  @Test("Only the responses of streams end with a message of their own, and all responses name ignored fields")
  func streams() throws {
    var streamCount = 0
    for (path, methods) in try Self.object(Self.document(), "paths") {
      let call = try Self.object(methods, "post")
      let names = (call["parameters"] as? [[String: String]])?.compactMap { $0["$ref"]?.split(separator: "/").last }
      #expect(names == ["Connect-Timeout-Ms", "Connect-Protocol-Version"], "\(path)")
      let response = try Self.object(call, "responses", "200")
      #expect(try Self.object(response, "headers").keys.elementsEqual(["marquee-ignored-fields"]))
      let request = try Self.object(call, "requestBody", "content")
      let content = try Self.object(response, "content")
      guard request["application/json"] == nil else { continue }
      streamCount += 1
      #expect(try Self.object(request, "application/connect+json")["x-end-of-stream"] == nil, "\(path)")
      #expect(try Self.object(content, "application/connect+json")["x-end-of-stream"] != nil, "\(path)")
    }
    #expect(streamCount > 5)
  }

  @Test("The response to a failed call may have a sentence, and has the fields of its status; all references resolve")
  func errors() throws {
    let document = try Self.document()
    let components = try Self.object(document, "components")
    let error = try Self.object(components, "responses", "Error")
    #expect(try Self.object(error, "content").keys.sorted() == ["application/json", "text/plain"])
    let fields = try Self.object(error, "headers")
    #expect(
      fields.keys.sorted() == ["accept-post", "allow", "marquee-ignored-fields", "retry-after", "www-authenticate"])
    let headers = try Self.object(components, "headers")
    for (name, reference) in fields {
      #expect(try Self.object(reference)["$ref"] as? String == "#/components/headers/\(name)" && headers[name] != nil)
    }
  }
}
