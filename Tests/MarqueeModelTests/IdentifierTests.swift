import MarqueeModel
import Testing

@Suite struct IdentifierTests {
  @Test(
    "A name is refused when it is empty, too long, or has a character that cannot be seen",
    arguments: [
      "", "a\u{0}b", "a\nb", "a\u{7F}", "zero\u{200B}width", "bidi\u{202E}", "\u{2066}isolate", "\u{FEFF}mark",
      "line\u{2028}", "paragraph\u{2029}", "private\u{E000}", "unassigned\u{378}", "soft\u{AD}hyphen", "\u{85}",
    ])
  func refused(text: String) {
    #expect(throws: Refusal.self) { try StackID(text) }
    #expect(throws: Refusal.self) { try DeviceID(text) }
    #expect(throws: Refusal.self) { try KindName(text) }
    #expect(throws: Refusal.self) { try TimeZoneID(text) }
    #expect(throws: Refusal.self) { try IntentType(text) }
    #expect(throws: Refusal.self) { try IntentParameter.Name(text) }
  }

  @Test("A name has at most 255 bytes of UTF-8")
  func length() throws {
    #expect(try StackID(String(repeating: "é", count: 127) + "x").text.utf8.count == 255)
    let refusal = try #require(throws: Refusal.self) { try StackID(String(repeating: "é", count: 128)) }
    #expect(refusal == Refusal(.invalidArgument, "identifier-size-max is 255, this one has 256 bytes"))
  }

  @Test("An app is named in reverse DNS", arguments: ["com.example", "a.b.c", "org.x-1.Y_2"])
  func app(text: String) throws {
    #expect(try AppID(text).description == text)
  }

  @Test("An app of another form is refused", arguments: ["com", ".com", "com.", "a..b", "a.b c", "a.ä", "a.b/c"])
  func notAnApp(text: String) {
    #expect(throws: Refusal.self) { try AppID(text) }
  }

  @Test("Names are the same, and ordered, by their bytes alone")
  func bytes() throws {
    let (composed, decomposed) = (try StackID("caf\u{E9}"), try StackID("cafe\u{301}"))
    #expect(composed != decomposed)
    #expect(decomposed < composed)
    #expect(Set([composed, decomposed]).count == 2)
    #expect(try StackID("Z") < StackID("a"))
    #expect(try StackID("a") < StackID("aa"))
    #expect(try StackID("\u{FFFD}") < StackID("\u{10000}"))
  }

  @Test("Names of every length are the same when every byte is", arguments: 1...40)
  func everyByte(length: Int) throws {
    let text = String(repeating: "x", count: length)
    let name = try KindName(text)
    // Small texts and large ones, which lie in memory otherwise.
    var large = String(repeating: "x", count: 99)
    large.removeLast(99 - length)
    #expect(try KindName(large) == name && Set([name, try KindName(large)]).count == 1)
    for place in 0..<length {
      var other = Array(text.utf8)
      other[place] = UInt8(ascii: "y")
      #expect(try KindName(String(decoding: other, as: UTF8.self)) != name)
    }
  }

  @Test("A refusal's path grows outwards, with indices in brackets")
  func path() {
    let refusal = Refusal(.invalidArgument, field: "score", "inf is not finite")
    let outer = refusal.within("relevance").within("[3]").within("entries")
    #expect(outer.description == "entries[3].relevance.score: inf is not finite")
    #expect(Refusal(.notFound, "no such stack").description == "no such stack")
    #expect(Refusal(.notFound, "none").within("stack").field == "stack")
    let over = Refusal.over(limit: "stack-count-max", maximum: 64, count: 65)
    #expect(over.code == .resourceExhausted)
    #expect(over.description == "stack-count-max is 64, this would make 65")
  }

  @Test("The standard limits hold together")
  func limits() {
    let limits = Limits.standard
    #expect(limits == Limits())
    #expect(limits.contentSizeMax <= limits.timelineSizeMax)
    #expect(limits.timelineSizeMax >= limits.entryCountMax * 1_024)
    let all = [
      limits.entryCountMax, limits.contentSizeMax, limits.timelineSizeMax, limits.timelineCountMax,
      limits.kindCountMax, limits.appCountMax, limits.stackCountMax, limits.memberCountMax,
    ]
    #expect(all.allSatisfy { $0 > 0 })
  }
}
