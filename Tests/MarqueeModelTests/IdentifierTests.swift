import MarqueeModel
import Testing

@Suite struct IdentifierTests {
  @Test(
    "An empty identifier or one with invisible characters is rejected",
    arguments: [
      "", "a\u{0}b", "a\nb", "a\u{7F}", "zero\u{200B}width", "bidi\u{202E}", "\u{2066}isolate", "\u{FEFF}mark",
      "line\u{2028}", "paragraph\u{2029}", "private\u{E000}", "unassigned\u{378}", "soft\u{AD}hyphen", "\u{85}",
    ])
  func rejected(text: String) {
    #expect(throws: RequestError.self) { try StackID(text) }
    #expect(throws: RequestError.self) { try DeviceID(text) }
    #expect(throws: RequestError.self) { try KindName(text) }
    #expect(throws: RequestError.self) { try TimeZoneID(text) }
    #expect(throws: RequestError.self) { try IntentType(text) }
    #expect(throws: RequestError.self) { try IntentParameter.Name(text) }
  }

  @Test("An identifier has at most 255 bytes of UTF-8")
  func length() throws {
    #expect(try StackID(String(repeating: "é", count: 127) + "x").text.utf8.count == 255)
    let rejection = try #require(throws: RequestError.self) { try StackID(String(repeating: "é", count: 128)) }
    #expect(rejection == RequestError(.invalidArgument, "identifier of 256 bytes exceeds identifier-size-max (255)"))
  }

  @Test("A bundle identifier is in reverse-DNS notation", arguments: ["com.example", "a.b.c", "org.x-1.Y_2"])
  func app(text: String) throws {
    #expect(try AppID(text).description == text)
  }

  @Test(
    "An invalid bundle identifier is rejected", arguments: ["com", ".com", "com.", "a..b", "a.b c", "a.ä", "a.b/c"])
  func notAnApp(text: String) {
    #expect(throws: RequestError.self) { try AppID(text) }
  }

  @Test(
    "An identifier that is not in NFC is rejected, so that distinct identifiers are never canonically equivalent",
    arguments: ["cafe\u{301}", "\u{212A}iosk", "\u{212B}", "\u{2126}", "\u{1112}\u{1161}\u{11AB}", "a\u{301}\u{323}"])
  func normalized(text: String) {
    let words = "identifier is not in Unicode Normalization Form C (NFC)"
    #expect(throws: RequestError(.invalidArgument, words)) { try DeviceID(text) }
    #expect(throws: RequestError(.invalidArgument, words)) { try KindName(text) }
    #expect(throws: RequestError(.invalidArgument, words)) { try IntentParameter.Name(text) }
  }

  @Test(
    "A language tag has the case of RFC 5646, and its prefixes lead to more general languages",
    arguments: [
      ("en", "en"), ("DE-at", "de-AT de"), ("ZH-hant-tw", "zh-Hant-TW zh-Hant zh"),
      ("sl-ROZAJ-Biske", "sl-rozaj-biske sl-rozaj sl"),
      ("de-CH-1901", "de-CH-1901 de-CH de"), ("en-US-u-CA-Buddhist", "en-US-u-ca-buddhist en-US-u-ca en-US en"),
      ("es-419", "es-419 es"), ("haw", "haw"),
    ])
  func language(text: String, prefixes: String) throws {
    let tag = try LanguageTag(text)
    #expect(tag.prefixes.map(\.text).joined(separator: " ") == prefixes)
    #expect(try LanguageTag(tag.text) == tag && LanguageTag(decoding: tag.encoded) == tag)
  }

  @Test(
    "A malformed language tag is rejected",
    arguments: [
      "", "d", "de_AT", "de-", "-de", "de--AT", "1a", "latn", "x-private", "de-toolongsubtag", "dé", "en-u", "en ",
    ])
  func notALanguage(text: String) {
    #expect(throws: RequestError(.invalidArgument, "not a BCP 47 language tag, such as en or de-AT")) {
      try LanguageTag(text)
    }
  }

  @Test("A language tag has at most 35 bytes")
  func languageSize() throws {
    #expect(try LanguageTag("en-aaaaaaaa-bbbbbbbb-cccccccc-ddddd").text.utf8.count == 35)
    #expect(throws: RequestError(.invalidArgument, "language tag of 36 bytes exceeds language-size-max (35)")) {
      try LanguageTag("en-aaaaaaaa-bbbbbbbb-cccccccc-dddddd")
    }
  }

  @Test("Identifiers in NFC are accepted", arguments: ["caf\u{E9}", "Kiosk", "\u{3A9}", "\u{D55C}", "q\u{301}"])
  func composed(text: String) throws {
    #expect(try DeviceID(text).text.utf8.elementsEqual(text.utf8))
  }

  @Test("String values are equal, and hash equally, if and only if their bytes are equal")
  func values() throws {
    let pairs: [(IntentValue, IntentValue)] = [
      (.string("K"), .string("\u{212A}")), (.enumCase("caf\u{E9}"), .enumCase("cafe\u{301}")),
      (.object(.init(identifier: "K", display: "x")), .object(.init(identifier: "\u{212A}", display: "x"))),
      (.person(.init(identifier: "K", display: "x")), .person(.init(identifier: "\u{212A}", display: "x"))),
    ]
    for (one, other) in pairs {
      #expect(one != other && Set([one, other, one]).count == 2)
      let name = try IntentParameter.Name("p")
      let intents = try [one, other].map { value in
        try Intent(type: IntentType("T"), parameters: [IntentParameter(name: name, value: .single(value))])
      }
      #expect(intents[0] != intents[1] && Set(intents).count == 2)
    }
    #expect(ExactText("K") != ExactText("\u{212A}") && Set([ExactText("K"), ExactText("\u{212A}")]).count == 2)
  }

  @Test("Identifiers are ordered by their bytes")
  func bytes() throws {
    #expect(try StackID("Z") < StackID("a"))
    #expect(try StackID("a") < StackID("aa"))
    #expect(try StackID("\u{FFFD}") < StackID("\u{10000}"))
  }

  @Test("Identifiers of every length are equal if and only if all bytes are", arguments: 1...40)
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

  @Test("An error's path is prefixed by the enclosing fields, with indices in brackets")
  func path() {
    let rejection = RequestError(.invalidArgument, field: "score", "inf is not finite")
    let outer = rejection.within("relevance").within("[3]").within("entries")
    #expect(outer.description == "entries[3].relevance.score: inf is not finite")
    #expect(RequestError(.notFound, "no such stack").description == "no such stack")
    #expect(RequestError(.notFound, "none").within("stack").field == "stack")
    let over = RequestError.over(limit: "stack-count-max", maximum: 64, count: 65)
    #expect(over.code == .resourceExhausted)
    #expect(over.description == "65 exceeds stack-count-max (64)")
  }

  @Test("The default limits are consistent")
  func limits() {
    let limits = Limits.default
    #expect(limits == Limits())
    #expect(limits.contentSizeMax <= limits.timelineSizeMax)
    #expect(limits.timelineSizeMax >= limits.entryCountMax * 1_024)
    let all = [
      limits.entryCountMax, limits.contentSizeMax, limits.timelineSizeMax,
      limits.kindCountMax, limits.appCountMax, limits.stackCountMax, limits.memberCountMax,
    ]
    #expect(all.allSatisfy { $0 > 0 })
  }
}
