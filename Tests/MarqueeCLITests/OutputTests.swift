import Foundation
import MarqueeModel
import MarqueeSimulator
import MarqueeTerminal
import Testing

@testable import MarqueeCLI

struct OutputTests {
  @Test("A table aligns its columns, numbers to the right, without trailing spaces")
  func table() {
    var table = Table(.init("DEVICE"), .init("STACKS", .right), .init("NEXT"))
    table.append("home", "2", "14:00:00")
    table.append("kitchen-display", "10", "")
    #expect(
      table.lines == [
        "DEVICE           STACKS  NEXT",
        "home                  2  14:00:00",
        "kitchen-display      10",
      ])
  }

  @Test("A table aligns names in scripts whose characters are two columns wide")
  func wideCharacters() {
    var table = Table(.init("DEVICE"), .init("ZONE"))
    for name in ["Küche 🏠", "日本 家", "kitchen"] { table.append(name, "UTC") }
    #expect(table.lines == ["DEVICE    ZONE", "Küche 🏠  UTC", "日本 家   UTC", "kitchen   UTC"])
  }

  @Test("JSON is valid for Foundation, with ordered fields and all necessary escapes")
  func json() throws {
    let value = JSONValue.object([
      .init("b", .string("quote \" slash \\ line\n tab\t bell\u{7} del\u{7F} snow ☃ 😀")), .init("a", .integer(-3)),
      .init("list", [.null, true, .number(0.25), .number(.infinity), .number(1e300), .array([]), .object([])]),
    ])
    for isPretty in [false, true] {
      let text = value.text(isPretty: isPretty)
      let read = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
      #expect(read["b"] as? String == "quote \" slash \\ line\n tab\t bell\u{7} del\u{7F} snow ☃ 😀")
      #expect((read["list"] as? [Any])?.count == 7)
      #expect(text.contains("\n") == isPretty)
      let (b, a) = (text.range(of: "\"b\""), text.range(of: "\"a\""))
      #expect(try #require(b).lowerBound < #require(a).lowerBound)
    }
  }

  @Test("JSON escapes characters that are invisible or control the terminal, without changing the value")
  func invisible() throws {
    let scalars: [Unicode.Scalar] = [
      "\u{7F}", "\u{9B}", "\u{AD}", "\u{34F}", "\u{61C}", "\u{115F}", "\u{200B}", "\u{202E}", "\u{2028}", "\u{2060}",
      "\u{2066}", "\u{3164}", "\u{FEFF}", "\u{E0001}", "\u{E0100}",
    ]
    let string = String(String.UnicodeScalarView(scalars))
    let text = JSONValue.array([.string(string)]).text(isPretty: false)
    #expect(text.utf8.allSatisfy { (0x20..<0x7F).contains($0) })
    #expect(text.contains(#"\u200b"#) && text.contains(#"\udb40"#))
    let read = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String])
    #expect(read.map { Array($0.utf8) } == [Array(string.utf8)])
    let emoji = "👩‍👩‍👧 ❤️ می‌خواهم"
    #expect(JSONValue.string(emoji).text(isPretty: false) == "\"\(emoji)\"")
  }

  @Test("A time is two fields: RFC 3339 with the device's offset, and milliseconds")
  func jsonTime() throws {
    let clock = DeviceClock(zone: try #require(TimeZone(identifier: "Asia/Tokyo")))
    let instant = Instant.min.advanced(by: .seconds(60))
    #expect(
      JSONValue.object(.time("at", instant, clock)).text(isPretty: false)
        == #"{"at":"1970-01-01T09:01:00+09:00","at_ms":60000}"#)
    #expect(JSONValue.object(.time("at", nil, clock)).text(isPretty: false) == #"{"at":null,"at_ms":null}"#)
  }

  @Test("Every JSON field is documented")
  func documentedFields() throws {
    let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../Sources/MarqueeCLI")
    let page = try String(contentsOf: sources.appendingPathComponent("MarqueeCLI.docc/JSON.md"), encoding: .utf8)
    var names: Set<String> = []
    for folder in ["Commands", "Publish", "Simulate"] {
      let files = try FileManager.default.contentsOfDirectory(
        at: sources.appendingPathComponent(folder), includingPropertiesForKeys: nil)
      for file in files {
        let code = try String(contentsOf: file, encoding: .utf8)
        names.formUnion(code.matches(of: /(?:\.init|\.time|Field)\(\s*"([a-z_]+)",/).map { String($0.1) })
      }
    }
    #expect(names.count > 50)
    for name in names.sorted() { #expect(page.contains("`\(name)`"), "\(name)") }
  }
}
