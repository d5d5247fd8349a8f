import Testing

@testable import MarqueeModel

@Suite struct PhraseMatcherTests {
  private typealias Part = PhraseTemplate.Part

  private static func part(
    _ name: String, _ type: IntentValueType = .object, hasOptions: Bool = true
  ) throws -> Part {
    .parameter(.init(try .init(name), type: type, hasOptions: hasOptions))
  }

  private func matcher(
    _ phrases: [Part]..., name: String = "Transit", app: String = "com.example.transit"
  ) throws -> PhraseMatcher {
    let shortcut = try AppShortcutDescriptor(
      intent: Intent(type: IntentType("Buy")), phrases: phrases.map { try PhraseTemplate($0) }, shortTitle: "Buy")
    return PhraseMatcher(
      try PhraseBook(applicationName: name, shortcuts: [shortcut]), of: try AppID(app))
  }

  /// Returns the spoken values of the phrases that a text can mean.
  private func values(_ text: String, _ matcher: PhraseMatcher) throws -> [String] {
    matcher.candidates(for: try SpokenText(text)).map(\.spoken)
  }

  private func normalized(_ text: String) throws -> String { String(try SpokenText(text).units.map(\.character)) }

  @Test(
    "Case, diacritics, punctuation and the amount of white space are not compared",
    arguments: [
      ("  Order a CAFÉ,\tplease! ", "order a cafe please"), ("Cafe\u{301} cre\u{300}me", "cafe creme"),
      ("Straße", "strasse"), ("ΣΊΣΥΦΟΣ", "σισυφοσ"), ("İstanbul ılık", "istanbul ilik"), ("Wi-Fi/5G", "wi fi 5g"),
      ("don’t", "dont"), ("Đặt vé Łódź Ørsted", "dat ve lodz orsted"), ("ёлка Йод", "елка иод"), ("שָׁלוֹם", "שלום"),
      ("-18.5 degrees", "-18.5 degrees"), ("\u{2212}18", "-18"), ("10:30, 1,5. 7-9", "10:30 1,5 7 9"),
      ("注文する。", "注文する"), ("5 € + 1", "5 € + 1"),
      ("C#, C++ & 5%!", "c# c++ & 5%"),
    ])
  func normalization(_ text: String, _ expected: String) throws {
    #expect(try normalized(text) == expected)
  }

  @Test("An empty text, one of punctuation, and one above the limit are rejected")
  func rejectedTexts() {
    #expect(throws: RequestError(.invalidArgument, "must not be empty")) { try SpokenText("") }
    #expect(throws: RequestError(.invalidArgument, "must contain a letter, digit or symbol")) { try SpokenText(" …?") }
    let size = SpokenText.sizeMax
    #expect(throws: RequestError(.resourceExhausted, "1001 exceeds phrase-size-max (1000)")) {
      try SpokenText(String(repeating: "a", count: size + 1))
    }
  }

  @Test("Only the whole text matches a phrase, with the app's name at any place")
  func wholeText() throws {
    let show = try matcher(
      [.text("Show "), .applicationName, .text(" departures")], [.applicationName, .text(" departures")],
      name: "Métro Line!")
    #expect(try values("show METRO line departures", show) == [""])
    #expect(try values("Metro Line: Departures", show) == [""])
    for text in ["show departures", "show metro line", "please show metro line departures", "metro", "show metroline"] {
      #expect(try values(text, show).isEmpty, "\(text)")
    }
  }

  @Test("A parameter is at the start, in the middle or at the end of a phrase; its value is not empty")
  func parameters() throws {
    let line = try Self.part("line")
    let start = try matcher([line, .text(" in "), .applicationName])
    #expect(try values("U2 Pankow in Transit", start) == ["U2 Pankow"])
    #expect(try values("in Transit", start).isEmpty)
    let middle = try matcher([.text("Buy “"), line, .text("”, "), .applicationName])
    #expect(try values("buy \"Ann's  line\" transit.", middle) == ["Ann's  line"])
    #expect(try values("buy transit", middle).isEmpty)
    #expect(try values("buy  -  transit", middle).isEmpty)
    let end = try matcher([.applicationName, .text(": "), line])
    #expect(try values("Transit U2!", end) == ["U2"])
    #expect(try values("Transit", end).isEmpty)
    let spaceless = try matcher([.applicationName, .text("で"), line, .text("を買う")], name: "交通")
    #expect(try values("交通で切符を買う", spaceless) == ["切符"])
  }

  @Test("A parameter without options takes the text if it can be read as its type")
  func readValues() throws {
    func value(_ type: IntentValueType, _ spoken: String) throws -> IntentValue? {
      let amount = try Self.part("amount", type, hasOptions: false)
      let pay = try matcher([.text("Set "), amount, .text(" in "), .applicationName])
      guard let candidate = try pay.candidates(for: SpokenText("set \(spoken) in transit")).first else { return nil }
      #expect(candidate.optionsParameter == nil)
      guard let match = candidate.match()?.match else { return nil }
      #expect(match.phrase == "Set \(spoken) in Transit" && match.shortTitle == "Buy")
      guard case .single(let value)? = match.invocation.intent.parameters.first?.value else { return nil }
      return value
    }
    #expect(try value(.string, "Ann's Café") == .string("Ann's Café"))
    #expect(try value(.integer, "-7") == .integer(-7))
    #expect(try value(.integer, "+٧") == .integer(7))
    for text in ["seven", "0x10", "1,000", "7.5", "99999999999999999999", "٣٫٥"] {
      #expect(try value(.integer, text) == nil, "\(text)")
    }
    #expect(try value(.double, "3.5") == .double(3.5))
    #expect(try value(.double, "\u{2212}.5") == .double(-0.5))
    #expect(try value(.double, "５.") == .double(5))
    for text in ["NaN", "1e3", "0x1p2", "1.2.3", "."] { #expect(try value(.double, text) == nil, "\(text)") }
    #expect(try value(.boolean, "On") == .boolean(true))
    #expect(try value(.boolean, "maybe") == nil)
    #expect(try value(.date, "tomorrow") == nil)
  }

  @Test("A string keeps all characters between the texts of the phrase, except white space at its ends")
  func strings() throws {
    let item = try Self.part("item", .string, hasOptions: false)
    let middle = try matcher([.text("Search "), item, .text(" in "), .applicationName])
    for text in ["C#", "C++", "100%", "“Who?”", "R&D", "A-", "(a), b!", "…x"] {
      #expect(try values("search   \(text)  in transit", middle) == [text])
    }
    let end = try matcher([.applicationName, .text(": "), item])
    #expect(try values("Transit: What now? ", end) == ["What now?"])
    #expect(try values("C# in transit", matcher([Self.part("item"), .text(" in "), .applicationName])) == ["C#"])
  }

  @Test("A parameter does not begin or end within a word of a script with spaces")
  func boundaries() throws {
    let line = try Self.part("line")
    #expect(try values("apple", matcher([.applicationName, line], name: "a")).isEmpty)
    #expect(try values("a pple", matcher([.applicationName, line], name: "a")) == ["pple"])
    #expect(try values("a:pple", matcher([.applicationName, line], name: "a")) == ["pple"])
    #expect(try values("playing a", matcher([.text("play"), line, .text(" "), .applicationName], name: "a")).isEmpty)
    #expect(try values("extra", matcher([line, .applicationName], name: "a")).isEmpty)
    #expect(try values("5a", matcher([line, .applicationName], name: "a")).isEmpty)
    #expect(try values("切符交通", matcher([line, .applicationName], name: "交通")) == ["切符"])
    #expect(try values("รถไฟa", matcher([line, .applicationName], name: "a")) == ["รถไฟ"])
    #expect(try values("U2を交通で", matcher([line, .text("を"), .applicationName, .text("で")], name: "交通")) == ["U2"])
  }

  @Test("At most four phrases have a parameter; those with the same intent, parameter and value count once")
  func candidateCount() throws {
    let item = try Self.part("item")
    func phrases(_ words: [String]) -> [[Part]] { words.map { [.text($0), item, .text(" in "), .applicationName] } }
    func candidates(_ phrases: [[Part]]) throws -> [PhraseCandidate] {
      let shortcut = try AppShortcutDescriptor(
        intent: Intent(type: IntentType("Buy")), phrases: phrases.map { try PhraseTemplate($0) })
      let book = try PhraseBook(applicationName: "Transit", shortcuts: [shortcut])
      let matcher = PhraseMatcher(book, of: try AppID("com.example.transit"))
      return matcher.candidates(for: try SpokenText("a b c d e in transit"))
    }
    let many = try candidates(phrases([" ", "a ", "a b ", "a b c ", "a b c d "])).map(\.spoken)
    #expect(many == ["e", "d e", "c d e", "b c d e"])
    let equal = try candidates(phrases(["A ", "a ", "a, "])).map(\.spoken)
    #expect(equal == ["b c d e"])
  }

  @Test("Options with another type, and those after the maximum, are ignored; comparing them can be ended")
  func ignoredOptions() throws {
    let buy = try matcher([.text("Buy "), Self.part("line"), .text(" in "), .applicationName])
    let candidate = try #require(buy.candidates(for: SpokenText("buy u2 in transit")).first)
    func option(_ number: Int, title: String = "U2") -> ParameterOption {
      ParameterOption(.object(DisplayIdentity(identifier: "\(number)", display: title)), title: title)
    }
    let text = ParameterOption(.string("U2"), title: "U2")
    #expect(candidate.matches(among: [text]).isEmpty)
    let others = Array(repeating: option(0, title: "U6"), count: OptionsQuery.countMax)
    #expect(candidate.matches(among: others + [option(1)]).isEmpty)
    var comparedCount = 0
    let all = candidate.matches(among: (0..<100).map { option($0) }) {
      comparedCount += 1
      return true
    }
    #expect(all.count == PhraseMatch.countPerAppMax && comparedCount == PhraseMatch.countPerAppMax)
    let none = candidate.matches(among: [option(1)]) { false }
    #expect(none.isEmpty)
  }

  @Test("At most five matches of one app are returned")
  func matchesPerApp() throws {
    func found(_ app: String) throws -> [RankedPhrase] {
      let names = ["A", "B", "C", "D", "E", "F"]
      let shortcuts = try names.map { name in
        try AppShortcutDescriptor(
          intent: Intent(type: IntentType(name)), phrases: [PhraseTemplate([.text("Open "), .applicationName])])
      }
      let book = try PhraseBook(applicationName: "Map", shortcuts: shortcuts)
      let candidates = try PhraseMatcher(book, of: AppID(app)).candidates(for: SpokenText("open map"))
      return candidates.compactMap { $0.match() }
    }
    let matches = RankedPhrase.matches(of: try found("com.example.first") + found("com.example.second"))
    let apps = matches.map(\.app.text)
    #expect(apps == Array(repeating: "com.example.first", count: 5) + Array(repeating: "com.example.second", count: 5))
  }

  @Test("An option matches by its title, compared like the text; its value completes the intent")
  func options() throws {
    let buy = try matcher([.text("Buy "), Self.part("line"), .text(" in "), .applicationName])
    let candidate = try #require(buy.candidates(for: SpokenText("buy uber 2 in transit")).first)
    #expect(candidate.optionsParameter?.text == "line" && candidate.match() == nil)
    let options = ["Über 2", "Uber", "UBER, 2", String(repeating: ".", count: 1_001) + "uber 2"].map {
      ParameterOption(.object(DisplayIdentity(identifier: $0, display: $0)), title: $0)
    }
    let matches = RankedPhrase.matches(of: candidate.matches(among: options))
    #expect(matches.map(\.phrase) == ["Buy Über 2 in Transit", "Buy UBER, 2 in Transit"])
    let values = matches.map { $0.invocation.intent.parameters.map(\.value) }
    #expect(values == [[ParameterValue.single(options[0].value)], [.single(options[2].value)]])
  }

  @Test("Phrases with more literal characters come first, then the order of apps, then that of declarations")
  func ranking() throws {
    let item = try Self.part("item", .string, hasOptions: false)
    let second = try matcher(
      [.text("order "), item, .text(" in "), .applicationName],
      [.text("order large "), item, .text(" in "), .applicationName], name: "Cafe", app: "com.example.second")
    let first = try matcher(
      [item, .text(" in "), .applicationName], [.text("order "), item, .text(" in "), .applicationName], name: "Café",
      app: "com.example.first")
    let text = try SpokenText("Order large tea in Cafe")
    let found = (second.candidates(for: text) + first.candidates(for: text)).compactMap { $0.match() }
    let matches = RankedPhrase.matches(of: found)
    #expect(
      matches.map { "\($0.app.text.split(separator: ".")[2]): \($0.phrase)" } == [
        "second: order large tea in Cafe", "first: order large tea in Café", "second: order large tea in Cafe",
        "first: Order large tea in Café",
      ])
    #expect(RankedPhrase.matches(of: found.reversed()) == matches)
    // Equal invocations of one app count once.
    #expect(RankedPhrase.matches(of: found + found) == matches)
  }

  @Test("A phrase has the app's name exactly once, at most one parameter, and texts within the limit")
  func rejectedPhrases() throws {
    let (line, other) = (try Self.part("line"), try Self.part("other"))
    for (parts, message) in [
      ([.text("Buy")], "parts: the application name must occur exactly once, not 0 times"),
      ([.applicationName, .applicationName], "parts: the application name must occur exactly once, not 2 times"),
      ([.applicationName, line, other], "parts: 2 parameters; at most one is allowed"),
      ([.applicationName, .text("")], "parts[1].text: is empty"),
      (
        [.text(String(repeating: "a", count: 1_001)), .applicationName], "parts: 1001 exceeds phrase-size-max (1000)"
      ),
      (
        Array(repeating: Part.text("a"), count: 16) + [.applicationName], "parts: 17 exceeds phrase-part-count-max (16)"
      ),
    ] as [([Part], String)] {
      let error = #expect(throws: RequestError.self) { try PhraseTemplate(parts) }
      #expect(error?.description == message)
    }
  }

  @Test("The counts and sizes of shortcuts and phrases, and the app's name, are checked")
  func rejectedBooks() throws {
    let phrase = try PhraseTemplate([.text(String(repeating: "a", count: 990)), .applicationName])
    let intent = try Intent(type: IntentType("Buy"))
    func shortcut(_ count: Int) throws(RequestError) -> AppShortcutDescriptor {
      try AppShortcutDescriptor(intent: intent, phrases: Array(repeating: phrase, count: count))
    }
    func message(_ body: () throws -> Void) -> String? {
      let error = #expect(throws: RequestError.self) { try body() }
      return error?.description
    }
    let large = try Intent(
      type: IntentType("Buy"),
      parameters: ["a", "b", "c", "d", "e"].map {
        IntentParameter(name: try .init($0), value: .single(.string(String(repeating: "a", count: 4_000))))
      })
    let error = #expect(throws: RequestError.self) { try AppShortcutDescriptor(intent: large, phrases: [phrase]) }
    #expect(error?.description.hasPrefix("intent: ") == true)
    #expect(error?.description.hasSuffix(" exceeds app-shortcut-intent-size-max (16384)") == true)
    #expect(message { _ = try shortcut(0) } == "phrases: at least one phrase is required")
    #expect(message { _ = try shortcut(101) } == "phrases: 101 exceeds app-shortcut-phrase-count-max (100)")
    let (one, many) = (try shortcut(1), try shortcut(67))
    #expect(
      message { _ = try PhraseBook(applicationName: "A", shortcuts: Array(repeating: one, count: 11)) }
        == "app_shortcuts: 11 exceeds app-shortcut-count-max (10)")
    #expect(
      message { _ = try PhraseBook(applicationName: "A", shortcuts: [many]) }?
        .hasSuffix("exceeds app-shortcut-size-max (65536)") == true)
    #expect(
      message { _ = try PhraseBook(applicationName: "", shortcuts: [one]) } == "application_name: identifier is empty")
    #expect(
      message { _ = try PhraseBook(applicationName: "!", shortcuts: [one]) }
        == "application_name: must contain a letter, digit or symbol")
  }
}
