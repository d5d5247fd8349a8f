import Foundation
import Testing

/// Comments and documents use standard terms: the constructions that hid them do not return.
@Suite struct LanguageTests {
  private static var banned: Regex<Substring> {
    #/\b(?:what is|what was|what it|whoever|anew|lives? through|let go|so many|is told of|tells of)\b/#.ignoresCase()
  }

  @Test("No comment or document uses a banned construction")
  func constructions() throws {
    let banned = Self.banned
    for file in try SourceTree.texts() where !file.path.hasSuffix("/LanguageTests.swift") {
      let isCode = file.path.hasSuffix(".swift") || file.path.hasSuffix(".proto")
      for (number, line) in file.lines.enumerated() {
        guard let text = isCode ? Self.comment(in: line) : line[...] else { continue }
        if let found = text.firstMatch(of: banned) {
          Issue.record("\(file.path):\(number + 1) says \"\(found.0)\"")
        }
      }
    }
  }

  @Test("The scan reads comments and not string literals")
  func scan() {
    #expect(Self.comment(in: "/// Whoever asks.") == "/ Whoever asks.")
    #expect(Self.comment(in: #"let text = "a // b""#) == nil)
    #expect(Self.comment(in: "let a = 1  // anew") == " anew")
  }

  private static func comment(in line: String) -> Substring? {
    var isInString = false
    var previous: Character = " "
    for (index, character) in zip(line.indices, line) {
      if character == "\"", previous != "\\" { isInString.toggle() }
      if !isInString, character == "/", previous == "/" { return line[line.index(after: index)...] }
      previous = character
    }
    return nil
  }
}
