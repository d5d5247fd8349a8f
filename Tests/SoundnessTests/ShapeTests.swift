import Foundation
import Testing

/// The shape of the code: short files, functions and lines, and a fixed top level.
@Suite struct ShapeTests {
  static let fileLengthMax = 600
  static let functionLengthMax = 70
  static let lineLengthMax = 120

  static func everything() throws -> [SourceTree.File] {
    try ["Protos", "Sources", "Tests"].flatMap(SourceTree.files(under:))
  }

  @Test("No file is longer than 600 lines")
  func files() throws {
    for file in try Self.everything() {
      #expect(file.lines.count <= Self.fileLengthMax, "\(file.path) has \(file.lines.count) lines")
    }
  }

  @Test("No line is longer than 120 characters, comments included")
  func lines() throws {
    for file in try Self.everything() {
      for (number, line) in file.lines.enumerated() where line.count > Self.lineLengthMax {
        Issue.record("\(file.path):\(number + 1) has \(line.count) characters")
      }
    }
  }

  @Test("No function is longer than 70 lines")
  func functions() throws {
    for file in try Self.everything() {
      for (start, length) in Self.functionLengths(in: file.code) where length > Self.functionLengthMax {
        Issue.record("\(file.path):\(start + 1) has a function of \(length) lines")
      }
    }
  }

  @Test("The top level contains only the listed items")
  func topLevel() throws {
    let allowed: Set = ["Package.swift", "Package.resolved", "Sources", "Tests", "Protos", "Deploy", "README.md"]
    for name in try SourceTree.folders(under: ".") where !name.hasPrefix(".") {
      #expect(allowed.contains(name), "\(name) does not belong at the top level")
    }
  }

  @Test("No completion handler has a default, with which top-level code would not call the asynchronous method")
  func completions() throws {
    for file in try SourceTree.files(under: "Sources/MarqueeKit") {
      for (number, line) in file.code.enumerated() where line.contains(#/ompletion(?:Handler)?: .*-> Void\)\? = nil/#) {
        Issue.record("\(file.path):\(number + 1) has a completion handler with a default")
      }
    }
  }

  @Test("Every error that is swallowed has its reason in a comment: on the line, or within four lines before it")
  func swallowedErrors() throws {
    for file in try SourceTree.files(under: "Sources") {
      var explained: Set<Int> = []
      for (number, line) in file.code.enumerated() where line.contains("try? ") {
        // In a chain of attempts, the reason of the first one is that of all.
        let hasReason = (max(0, number - 4)...number).contains { earlier in
          explained.contains(earlier) || file.lines[earlier].contains("//")
        }
        if hasReason { explained.insert(number) }
        #expect(hasReason, "\(file.path):\(number + 1)")
      }
    }
  }

  @Test("No file has a vague name")
  func names() throws {
    for file in try SourceTree.files(under: "Sources") + SourceTree.files(under: "Tests/Benchmarks") {
      for word in ["Utils", "Utilities", "Manager", "Helper", "Common"] {
        #expect(!file.path.contains(word), "\(file.path)")
      }
    }
  }

  /// The starts and lengths of functions, determined from the indentation that the formatter enforces.
  private static func functionLengths(in code: [String]) -> [(start: Int, length: Int)] {
    var lengths: [(Int, Int)] = []
    for (start, line) in code.enumerated() {
      let words = line.split(separator: " ")
      let opens = words.contains("func") || words.contains { $0.hasPrefix("init(") || $0.hasPrefix("init?(") }
      // Not one whose body is on the line.
      guard opens, !line.hasSuffix("}") else { continue }
      let indent = line.prefix { $0 == " " }
      guard let end = code[start...].firstIndex(where: { $0 == "\(indent)}" }) else { continue }
      lengths.append((start, end - start + 1))
    }
    return lengths
  }
}
