import Foundation
import MarqueeLint
import Testing

@Suite struct ArticleTests {
  @Test("L The article explains exactly the codes, in order")
  func codes() throws {
    let article = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../Sources/MarqueeLint/MarqueeLint.docc/Findings.md")
    let text = try String(contentsOf: article, encoding: .utf8)
    let explained = text.matches(of: #/\n\*\*`([a-z-]+)`\*\*: /#).map { String($0.1) }
    #expect(explained == LintCode.allCases.map(\.rawValue))
  }
}
