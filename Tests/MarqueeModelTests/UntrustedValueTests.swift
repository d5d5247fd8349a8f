import MarqueeModel
import Testing

@Suite("Untrusted numbers and strings")
struct UntrustedValueTests {
  @Test("A floating-point number saturates to the integer type's range")
  func saturating() {
    #expect(Int(saturating: .infinity) == .max && Int(saturating: -.infinity) == .min)
    #expect(Int64(saturating: 1e300) == .max && Int32(saturating: -1e300) == .min && UInt8(saturating: -0.5) == 0)
    #expect(Int(saturating: .nan) == 0 && Int(saturating: -2.9) == -2 && UInt16(saturating: 65_535.9) == .max)
    #expect(Int64(saturating: 0x1p63) == .max && Int64(saturating: -0x1p63) == .min)
  }

  @Test("Spans saturate to the type's range")
  func spans() {
    #expect(TimeSpan.days(.max).milliseconds == .max && TimeSpan.seconds(.min).milliseconds == -.max)
    #expect(TimeSpan.hours(25).milliseconds == 90_000_000 && TimeSpan.days(-1).milliseconds == -86_400_000)
    #expect(TimeSpan(seconds: .infinity) == nil && TimeSpan(seconds: .nan) == nil && TimeSpan(seconds: 1e300) == nil)
  }

  @Test("Scalars that affect a terminal, a log or the writing direction are escaped; others are kept")
  func visible() {
    #expect("a\u{1B}[2Jb\u{0}\u{7F}\u{9B}".visible() == "a\\u{1B}[2Jb\\u{0}\\u{7F}\\u{9B}")
    for scalar in ["\u{61C}", "\u{200B}", "\u{200E}", "\u{202A}", "\u{202E}", "\u{2028}", "\u{2029}", "\u{2066}"] {
      #expect(scalar.visible().hasPrefix("\\u{"))
    }
    #expect("a\nb\r\n".visible() == "a\\u{A}b\\u{D}\\u{A}")
    #expect("a\nb\r\n".visible(keepsLines: true) == "a\nb\\u{D}\n")
    let plain = "Grüße, 世界 👩‍👩‍👧 {}\\"
    #expect(plain.visible() == plain)
    // An escape that a combining mark follows is one character, and no less an escape.
    #expect("\u{1B}\u{301}[2J".visible() == "\\u{1B}\u{301}[2J")
  }

  @Test("A string is truncated at its maximum size, without splitting escapes or scalars")
  func cut() {
    #expect("abcdef".visible(sizeMax: 6) == "abcdef" && "abcdef".visible(sizeMax: 5) == "abcde…")
    #expect("éé".visible(sizeMax: 3) == "é…" && "a\u{1B}".visible(sizeMax: 5) == "a…")
    #expect(String(repeating: "\u{1B}", count: 1_000_000).visible(sizeMax: 256).utf8.count <= 259)
  }

  @Test("Text with more than 30 consecutive combining marks is not stream-safe")
  func streamSafe() throws {
    let marks = { (count: Int) in "a" + String(repeating: "\u{301}\u{316}", count: count / 2) + "\u{323}" }
    #expect("".isStreamSafe && "plain".isStreamSafe && marks(28).isStreamSafe && !marks(30).isStreamSafe)
    #expect(!(String(repeating: "\u{F73}", count: 31)).isStreamSafe)
    let error = #expect(throws: RequestError.self) { _ = try StackID(marks(30)) }
    #expect(error?.description.contains("combining marks") == true)
    // U+0323 precedes U+0301 in canonical order; "x" composes with neither.
    _ = try StackID("x\u{323}" + String(repeating: "\u{301}", count: 29))
  }

  @Test(
    "YAML with aliases or non-scalar keys is rejected before parsing",
    arguments: [
      ("a: &x 1\nb: *x", 2), ("? &k {a: b}\n: 1\n? *k\n: 2", 3), ("[&a-b_9 1,*a-b_9]", 1), ("a: \"&x *x\"", 1),
      (String(repeating: "? [a]\n: b\n", count: 17), 33), ("{" + String(repeating: "?[a] : b,", count: 17) + "}", 1),
      (String(repeating: "[a]: b\n", count: 17), 17), (String(repeating: "{a: b} : c\r\n", count: 17), 17),
      (String(repeating: "?\u{85}", count: 17), 1), (String(repeating: "- ? a\n", count: 17), 17),
      // Text after a number sign within quotation marks, or after any other YAML line break, is not a comment.
      ("\"x # \": &a x\nb: *a", 2), ("'x\n # ': &a x\nb: *a", 3), ("# x\r*a: &a b", 1), ("# x\u{2028}*a: &a b", 1),
      (String(repeating: "%TAG !a! b\n", count: 17), 17), (String(repeating: "%TAG !a! b\u{2029}", count: 17), 1),
      ("\n!x" + String(repeating: "%CC%81", count: 31) + " a: 1", 2),
      ("\na" + String(repeating: "\u{301}", count: 31), 2), ("\"" + String(repeating: #"\u0301"#, count: 31) + "\"", 1),
      (String(repeating: #"\U00000316\x41"#, count: 9) + String(repeating: #"\u0301"#, count: 31), 1),
      ("\"" + String(repeating: "\\u0301\\\n  ", count: 31) + "\"", 31),
      (String(repeating: #"\uD834\uDD65"#, count: 31), 1), (String(repeating: "\u{F73}", count: 31), 1),
    ])
  func yaml(text: String, line: Int) {
    #expect(YAMLProblem(in: text)?.line == line)
  }

  @Test(
    "YAML without aliases or non-scalar keys is accepted",
    arguments: [
      "", "a: R&D and *bold*", "name: salt & pepper\nother: 2 * 3", "a: &x 1", "a: *x",
      "what: really? yes\nlist: [a, b]\n\"]\": 1", "# [see]: here",
      "# R&D *D", "a: 1 # R&D *D\nb: R&D", "%YAML 1.2\n---\na: 5 %",
      "a: \"" + String(repeating: #"\u0301"#, count: 30) + "\"", String(repeating: "e\u{301}", count: 1_000),
      "\"" + String(repeating: #"\uD83D\uDE00"#, count: 100) + "\"",
      "see: https://ja.wikipedia.org/wiki/" + String(repeating: "%E3%83%A1", count: 40),
    ])
  func plainYAML(text: String) {
    #expect(YAMLProblem(in: text) == nil)
  }
}
