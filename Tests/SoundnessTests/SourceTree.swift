import Foundation

/// The project's own Swift files, read from the checkout that the tests were built in.
struct SourceTree {
  struct File {
    /// The path from the package's root, such as `Sources/MarqueeModel/Instant.swift`.
    let path: String
    let lines: [String]

    /// The lines without comments and the contents of string literals, so that words in them are not code.
    var code: [String] {
      var isInBlock = false
      return lines.map { line in
        if isInBlock {
          if line.contains("\"\"\"") { isInBlock = false }
          return ""
        }
        let bare = Self.withoutLiterals(line)
        if line.components(separatedBy: "\"\"\"").count == 2 { isInBlock = true }
        return bare
      }
    }

    private static func withoutLiterals(_ line: String) -> String {
      var bare = ""
      var isInString = false
      var previous: Character?
      for character in line {
        if character == "\"", previous != "\\" { isInString.toggle() }
        if !isInString, character == "/", previous == "/" { return String(bare.dropLast()) }
        if !isInString { bare.append(character) }
        previous = character
      }
      return bare
    }
  }

  static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// The Swift files under `folder`, in the order of their paths, without hidden folders and generated code.
  static func files(under folder: String) throws -> [File] {
    let base = root.appending(path: folder)
    let walk = FileManager.default.enumerator(
      at: base, includingPropertiesForKeys: nil, options: [.skipsHiddenFiles])
    let paths = (walk?.compactMap { ($0 as? URL)?.path } ?? []).filter {
      $0.hasSuffix(".swift") && !isGenerated($0)
    }
    return try paths.sorted().map { path in
      let text = try String(contentsOf: URL(filePath: path), encoding: .utf8)
      return File(
        path: String(path.dropFirst(root.path.count + 1)), lines: text.components(separatedBy: "\n"))
    }
  }

  /// Whether a file contains generated messages or stubs.
  private static func isGenerated(_ path: String) -> Bool {
    path.hasSuffix(".pb.swift") || path.hasSuffix(".grpc.swift")
  }

  /// The paths of the regular files under `folder`, relative to the package's root, in order, without hidden folders.
  static func paths(under folder: String) throws -> [String] {
    let walk = FileManager.default.enumerator(
      at: root.appending(path: folder), includingPropertiesForKeys: [.isRegularFileKey], options: [.skipsHiddenFiles])
    let files = try (walk?.compactMap { $0 as? URL } ?? []).filter {
      try $0.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true
    }
    return files.map { String($0.path.dropFirst(root.path.count + 1)) }.sorted()
  }

  /// The files that people read: Swift code, articles, protocol definitions and scripts.
  static func texts() throws -> [File] {
    let folders = ["Sources", "Tests", "Protos", "Deploy"]
    let paths = try folders.flatMap(paths).filter { path in
      [".swift", ".md", ".proto", ".sh"].contains { path.hasSuffix($0) } && !isGenerated(path)
    }
    return try (paths + ["README.md"]).map { path in
      let text = try String(contentsOf: root.appending(path: path), encoding: .utf8)
      return File(path: path, lines: text.components(separatedBy: "\n"))
    }
  }

  /// The folders directly under `folder`, in order.
  static func folders(under folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: root.appending(path: folder).path).sorted()
  }
}
