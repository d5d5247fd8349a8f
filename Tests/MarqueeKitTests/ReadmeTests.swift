import Foundation
import Testing

@Suite struct ReadmeTests {
  private static let here = URL(filePath: #filePath).deletingLastPathComponent()

  /// The Swift programs of a Markdown file, as printed.
  private static func programs(in path: String) throws -> [String] {
    let text = try String(contentsOf: here.appending(path: "../../\(path)"), encoding: .utf8)
    return text.components(separatedBy: "```swift\n").dropFirst().map { $0.components(separatedBy: "```")[0] }
  }

  /// The test in the README, without the indentation of its suite.
  private static func test() throws -> String {
    let source = try String(contentsOf: here.appending(path: "CardsWidgetsTests.swift"), encoding: .utf8)
    let part = try #require(source.components(separatedBy: "  // [test]\n").dropFirst().first)
    let lines = try #require(part.components(separatedBy: "  // [end]").first).components(separatedBy: "\n")
    return lines.map { $0.dropFirst(min(2, $0.prefix { $0 == " " }.count)) }.joined(separator: "\n")
  }

  @Test("The README's programs are a whole file that is compiled here, and a test that is run here")
  func programs() throws {
    let provider = try String(contentsOf: Self.here.appending(path: "CardsWidgets.swift"), encoding: .utf8)
    let test = try Self.test()
    #expect(try Self.programs(in: "README.md") == [provider, test])
    #expect(provider.split(separator: "\n").count <= 40 && test.split(separator: "\n").count <= 11)
  }

  @Test("The complete provider in the article is the README's")
  func article() throws {
    let article = "Sources/MarqueeKit/MarqueeKit.docc/MarqueeKit.md"
    #expect(try Self.programs(in: article).first == Self.programs(in: "README.md").first)
  }
}
