import MarqueeModel
import MarqueeYAML
import Testing

/// Parsing is strict, and every error has its location and field.
@Suite struct YAMLNodeTests {
  @Test(
    "Text that Marquee's formats have no use for is rejected with its location",
    arguments: [
      ("a: 1\na: 2", "line 1, column 1: duplicate key a"), ("a: 1\n\"a\": 2", "line 1, column 1: duplicate key a"),
      ("x: {a: 1, a: 2}", "line 1, column 5: duplicate key a"),
      ("!!int a: 1\na: 2", "line 1, column 1: mapping keys must be strings"),
      ("x:\n- ? [a]\n  : b", "line 2, column 5: mapping keys must be strings"),
      ("cafe\u{301}: 1", "line 1, column 1: mapping keys must be in Unicode normalization form C (NFC)"),
      ("a: &x 1", "line 1, column 4: anchors are not supported"),
      ("a: &x 1\nb: *x", "line 2: YAML aliases are not supported"),
      ("b: *x", "line 1, column 4: invalid YAML: "),
      (String(repeating: "[", count: 17) + String(repeating: "]", count: 17), "column 17: nested deeper than 16"),
      ("a: [", "line 2, column 1: invalid YAML: "), ("a: 1\n---\nb: 2", "line 2, column 1: invalid YAML: "),
      ("a: \u{1}", "invalid YAML: "),
    ])
  func strictness(text: String, message: String) {
    let error = #expect(throws: YAMLError.self) { _ = try YAMLNode(yaml: text) }
    #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
  }

  @Test("Text without a document has no root", arguments: ["", "\n\n", "# a comment"])
  func empty(text: String) throws {
    #expect(try YAMLNode(yaml: text) == nil)
  }

  @Test("Scalars are text, whatever they look like; only plain ones can be null")
  func scalars() throws {
    let root = try #require(try YAMLNode(yaml: "[1.0, on, '~', ~, null, '', \"7\", .inf, 1e3]"))
    let nodes = try root.list("a list")
    #expect(nodes.map(\.scalarText) == ["1.0", "on", "~", "~", "null", "", "7", ".inf", "1e3"])
    #expect(nodes.map(\.isNull) == [false, false, false, true, true, false, false, false, false])
    #expect(nodes.map(\.isPlain) == [true, true, false, true, true, false, false, true, true])
    #expect(try nodes[2].text("a text") == "~" && nodes[8].number() == 1_000)
    for (index, message) in [
      (3, "line 1, column 16: [3]: expected a text"), (4, "line 1, column 19: [4]: expected a text"),
    ] {
      let error = #expect(throws: YAMLError.self) { _ = try nodes[index].text("a text") }
      #expect(error?.description == message)
    }
    #expect(throws: YAMLError.self) { _ = try nodes[7].number() }
    #expect(throws: YAMLError.self) { _ = try root.text("a text") }
  }

  @Test("A mapping has its keys in order, and unread ones are errors")
  func fields() throws {
    let root = try #require(try YAMLNode(yaml: "b: {c: ~, d: [1, {e: x}]}\na: y"))
    #expect(try root.entries("a mapping").map(\.name) == ["b", "a"])
    #expect(root["a"]?.scalarText == "y" && root["c"] == nil && root["b"]?.kind == .mapping)
    var fields = try #require(root["b"]).fields("a mapping")
    #expect(fields.has("c") && !fields.has("a") && fields.read("c") == nil && fields.readIncludingNull("c") != nil)
    let unread = #expect(throws: YAMLError.self) { try fields.rejectUnreadKeys() }
    #expect(unread?.description == "line 1, column 11: b.d: unknown key; expected c, c")
    let node = try #require(try fields.require("d").list("a list").last?["e"])
    #expect(node.field == "b.d[1].e" && node.line == 1)
    try fields.rejectUnreadKeys()
    let missing = #expect(throws: YAMLError.self) { _ = try fields.require("f") }
    #expect(missing?.description == "line 1, column 4: b: expected the key f")
    let wrong = #expect(throws: YAMLError.self) { _ = try node.value("an app", AppID.init) }
    #expect(wrong?.description.hasPrefix("line 1, column 22: b.d[1].e: expected an app: not a bundle") == true)
  }

  @Test("A long key is shortened in paths only")
  func longKey() throws {
    let key = String(repeating: "k", count: 100)
    let entry = try #require(try YAMLNode(yaml: "\(key): 1")?.entries("a mapping").first)
    #expect(entry.name == key && entry.value.field == String(repeating: "k", count: 39) + "…")
  }
}
