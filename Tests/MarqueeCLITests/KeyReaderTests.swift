import Testing

@testable import MarqueeCLI

struct KeyReaderTests {
  @Test(
    "Key sequences of terminals are decoded, also several at once, and other sequences are ignored",
    arguments: [
      ("q", [.character("q")]), ("\u{1B}[A\u{1B}OB", [.up, .down]), ("\u{1B}", [.escape]),
      ("\u{1B}[5~\u{1B}[6~\u{1B}[H\u{1B}[4~", [.pageUp, .pageDown, .home, .end]), ("\r\n", [.enter]),
      ("j\u{1B}[1;5Cé", [.character("j"), .character("é")]), ("\u{1B}[", []), ("\u{1B}[200~k", [.character("k")]),
    ] as [(String, [Key])])
  func keys(_ sent: String, _ keys: [Key]) {
    #expect(KeyReader.keys(Array(sent.utf8)) == keys)
  }
}
