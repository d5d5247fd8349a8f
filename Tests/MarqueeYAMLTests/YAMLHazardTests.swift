import Testing

@testable import MarqueeYAML

/// Text that would take too long to parse is rejected before it is parsed.
@Suite struct YAMLHazardTests {
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
    #expect(YAMLHazard(in: text)?.line == line)
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
    #expect(YAMLHazard(in: text) == nil)
  }
}
