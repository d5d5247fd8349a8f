import Foundation

/// The scenarios in the test fixtures and in the documentation.
enum Samples {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized

  /// A file of the project.
  static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  /// Every sample, in the order of names.
  static func all() throws -> [(name: String, text: String)] {
    let folders = ["Tests/Fixtures/scenarios", "Sources/MarqueeSimulator/MarqueeSimulator.docc/Resources"]
    return try folders.flatMap { folder in
      try FileManager.default.contentsOfDirectory(atPath: root.appending(path: folder).path)
        .filter { $0.hasSuffix(".yaml") }.sorted().map { ($0, try text("\(folder)/\($0)")) }
    }
  }
}
