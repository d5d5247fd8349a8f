import Foundation
import Testing

/// Input from peers, files and options can neither trap nor control a terminal: the constructs that could are not used.
@Suite struct EdgeTests {
  /// Targets without external numbers: their input was validated before.
  static let inner = ["Sources/MarqueePredictor/", "Sources/MarqueeEvaluation/"]

  /// Words that occur in floating-point expressions.
  static let floatingWords: Set<String> = [
    "Double", "Float", "rounded", "timeIntervalSince1970", "timeIntervalSince", "infinity", "magnitude", "squareRoot",
    "latitude", "longitude", "score", "confidence", "probability", "share", "width", "height",
  ]

  /// Durations in seconds that are not literals, and are within range.
  static let knownSeconds: Set<String> = [
    // Integers, or clamped to a range when parsed.
    "min(300, 1 << min(failureCount, 9))", "Self.age", "$0", "middle", "after", "hours * pace", "min(remaining, 60)",
    "settingTimeMax", "wait", "Int64(headerTimeMax)", "Int64(idleTimeMax)", "Int64(Predictor.stepSeconds)",
    "ofOffset: rest",
    "Int64(saturating: $0.timeIntervalSince1970)", "match.1 == \"-\" ? -seconds : seconds",
  ]

  private static func edges() throws -> [SourceTree.File] {
    try SourceTree.files(under: "Sources").filter { file in !inner.contains { file.path.hasPrefix($0) } }
  }

  @Test("No conversion from floating point to integer can trap")
  func conversions() throws {
    let types = ["Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32", "UInt64"]
    for file in try Self.edges() {
      for (number, line) in file.code.enumerated() {
        for argument in types.flatMap({ Self.arguments(of: $0, in: line) }) {
          let words = argument.split { !($0.isLetter || $0.isNumber) }.map(String.init)
          let isLabelled = ["exactly:", "saturating:", "clamping:"].contains { argument.hasPrefix($0) }
          let isFloating =
            words.contains(where: Self.floatingWords.contains) || argument.contains(/(?:^|[^$0-9])[0-9]+\.[0-9]/)
          #expect(isLabelled || !isFloating, "\(file.path):\(number + 1) converts \(argument)")
        }
      }
    }
  }

  @Test("No duration is created from unchecked seconds")
  func durations() throws {
    for file in try Self.edges() {
      for (number, line) in file.lines.enumerated() where !line.contains("func seconds(") {
        for argument in Self.arguments(of: ".seconds", in: line) {
          let isLiteral = argument.allSatisfy { $0.isNumber || "_ *+-".contains($0) }
          let isReading = argument.hasPrefix("at:") || argument.hasPrefix("since:")
          let isKnown = isReading || Self.knownSeconds.contains(argument)
          #expect(isLiteral || isKnown, "\(file.path):\(number + 1) creates a duration from \(argument)")
        }
      }
    }
  }

  @Test("Commands write through Terminal; only the screen and the progress meter write directly")
  func output() throws {
    let owners = [
      "MarqueeTerminal/Terminal.swift", "MarqueeTerminal/ProgressMeter.swift", "MarqueeCLI/Output/FullScreen.swift",
    ].map { "Sources/\($0)" }
    let banned: Set = ["print", "debugPrint", "fputs", "fwrite", "puts", "putchar", "dump", "printf"]
    for file in try Self.edges() where !owners.contains(file.path) {
      for (number, line) in file.code.enumerated() {
        for word in line.split(whereSeparator: { !($0.isLetter || $0.isNumber || $0 == "_") }) {
          let isCall = line[word.endIndex...].hasPrefix("(") && !line[..<word.startIndex].hasSuffix(".")
          let isWriting = banned.contains(String(word)) && isCall
          #expect(!isWriting, "\(file.path):\(number + 1) writes directly")
        }
        let isHandle = line.contains("FileHandle.standardOutput") || line.contains("FileHandle.standardError")
        #expect(!isHandle, "\(file.path):\(number + 1) writes directly")
      }
    }
  }

  @Test("No YAML is parsed without a prior check")
  func yaml() throws {
    for file in try Self.edges() {
      let code = file.code.joined(separator: "\n")
      guard code.contains("compose(yaml") || code.contains("Parser(yaml") || code.contains("YAMLSnapshot") else {
        continue
      }
      let check = code.contains("YAMLSnapshot") ? "SettingsFile.check" : "YAMLHazard(in"
      #expect(code.contains(check), "\(file.path) parses unchecked YAML")
    }
  }

  @Test("The scan finds only conversions that can trap")
  func scan() {
    #expect(Self.arguments(of: "Int", in: "a = Int((x * 2).rounded()) + UInt(3)") == ["(x * 2).rounded()"])
    #expect(Self.arguments(of: ".seconds", in: "sleep(.seconds(a + b))") == ["a + b"])
  }

  /// Returns the arguments in parentheses after each use of `name` as a word.
  private static func arguments(of name: String, in line: String) -> [String] {
    var (found, rest) = ([String](), line[...])
    while let range = rest.range(of: name + "(") {
      let before = rest[..<range.lowerBound].last ?? line[..<range.lowerBound].last
      var (depth, end) = (1, range.upperBound)
      while end < line.endIndex, depth > 0 {
        depth += line[end] == "(" ? 1 : line[end] == ")" ? -1 : 0
        if depth > 0 { end = line.index(after: end) }
      }
      let isWord = name.hasPrefix(".") || before.map { !($0.isLetter || $0.isNumber || $0 == "_") } ?? true
      if isWord { found.append(String(line[range.upperBound..<end])) }
      rest = line[range.upperBound...]
    }
    return found
  }
}
