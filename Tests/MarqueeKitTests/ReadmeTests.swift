import Foundation
import Testing

@Suite struct ReadmeTests {
  private static let here = URL(filePath: #filePath).deletingLastPathComponent()

  @Test(
    "The README shows the provider and the test that are run here",
    arguments: [("CardsWidgets.swift", "// [provider]\n", 40), ("CardsWidgetsTests.swift", "  // [test]\n", 11)])
  func programs(file: String, mark: String, lineCountMax: Int) throws {
    let source = try String(contentsOf: Self.here.appending(path: file), encoding: .utf8)
    let part = try #require(source.components(separatedBy: mark).dropFirst().first)
    var lines = try #require(part.components(separatedBy: "// [end]").first).components(separatedBy: "\n").dropLast()
    while lines.last?.isEmpty == true { lines.removeLast() }
    let indent = lines[0].prefix { $0 == " " }.count
    let program = lines.map { $0.dropFirst(min(indent, $0.prefix { $0 == " " }.count)) }.joined(separator: "\n")
    #expect(lines.count <= lineCountMax)
    let readme = Self.here.appending(path: "../../README.md")
    #expect(try String(contentsOf: readme, encoding: .utf8).contains("```swift\n\(program)\n```"))
  }
}
