import MarqueeModel
import MarqueeRPC
import Testing

@testable import MarqueeWire

@Suite struct PhraseErrorTests {
  private typealias Proto = ProtoBytes

  private func rejection<Value: WireValue>(_ type: Value.Type, _ message: ProtoBytes) throws -> String {
    let status = try #require(throws: RPCStatus.self) { try Value(wireBytes: message.bytes) }
    return status.description
  }

  private static let attach = Proto.message(1, [.text(1, "phone"), .text(2, "com.example.transit")])

  /// Returns the error for a phrase with the application name followed by `parts`.
  private func rejection(_ parts: [ProtoBytes]) throws -> String {
    let name = Proto.message(1, .number(2, 1))
    let good = Proto.message(2, name)
    let phrase = Proto.message(2, Proto(name.bytes + parts.flatMap { Proto.message(1, $0).bytes }))
    let shortcut: Proto = [.message(1, .text(1, "Buy")), good, phrase]
    return try rejection(
      ServeQueriesRequest.self, [Self.attach, .message(3, shortcut), .text(4, "Transit")])
  }

  @Test("An invalid phrase is rejected with its path")
  func phrases() throws {
    let path = "INVALID_ARGUMENT: app_shortcuts[0].phrases[1].parts"
    #expect(try rejection([[]]) == "\(path)[1].part: required field is missing")
    #expect(try rejection([.number(2, 0)]) == "\(path)[1].application_name: must be true when set")
    #expect(
      try rejection([.number(2, 1)]) == "\(path): the application name must occur exactly once, not 2 times")
    #expect(try rejection([.text(1, "")]) == "\(path)[1].text: is empty")
    let nameless = Proto.message(3, .number(2, 1))
    #expect(try rejection([nameless]) == "\(path)[1].parameter.name: identifier is empty")
    let typeless = Proto.message(3, .text(1, "line"))
    #expect(try rejection([typeless]).hasPrefix("\(path)[1].parameter.type: "))
  }

  @Test("App Shortcuts belong to the first message, with the app's name")
  func placement() throws {
    let phrase = Proto.message(2, .message(1, .number(2, 1)))
    let shortcut = Proto.message(3, [.message(1, .text(1, "Buy")), phrase])
    #expect(
      try rejection(ServeQueriesRequest.self, [Self.attach, shortcut])
        == "INVALID_ARGUMENT: application_name: identifier is empty")
    let response = Proto.message(2, [.number(1, 1), .message(7, [.number(1, 5)])])
    #expect(
      try rejection(ServeQueriesRequest.self, [response, shortcut])
        == "INVALID_ARGUMENT: app_shortcuts: only allowed in the message that attaches the stream")
    #expect(
      try rejection(ServeQueriesRequest.self, [response, .text(4, "Transit")])
        == "INVALID_ARGUMENT: application_name: only allowed in the message that attaches the stream")
    let shortcuts = Proto((0..<11).flatMap { _ in shortcut.bytes })
    #expect(
      try rejection(ServeQueriesRequest.self, [Self.attach, shortcuts, .text(4, "Transit")])
        == "RESOURCE_EXHAUSTED: app_shortcuts: 11 exceeds app-shortcut-count-max (10)")
  }

  @Test("A text that is empty, too long or punctuation is rejected with its field")
  func texts() throws {
    func rejection(_ text: String) throws -> String {
      try self.rejection(MatchPhraseRequest.self, [.text(1, "phone"), .text(2, text)])
    }
    #expect(try rejection("") == "INVALID_ARGUMENT: text: must not be empty")
    #expect(try rejection("?") == "INVALID_ARGUMENT: text: must contain a letter, digit or symbol")
    #expect(
      try rejection(String(repeating: "a", count: 1_001))
        == "RESOURCE_EXHAUSTED: text: 1001 exceeds phrase-size-max (1000)")
  }
}
