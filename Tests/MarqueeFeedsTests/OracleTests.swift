import Foundation
import MarqueeFeeds
import Testing

/// Expansions agree with the reference implementation, the Python library recurring-ical-events.
@Suite struct OracleTests {
  static let sharedFolder = Fixtures.root.deletingLastPathComponent().appending(path: "shared/data/calendars")

  @Test("The fixtures expand to the expected occurrences")
  func fixtures() throws {
    let folder = Fixtures.folder.appending(path: "calendars")
    let data = try Data(contentsOf: folder.appending(path: "expected.json"))
    let expected = try JSONDecoder().decode([String: [[String]]].self, from: data)
    let files = try Fixtures.calendars(in: folder)
    #expect(files.map(\.lastPathComponent) == expected.keys.sorted())
    for file in files {
      let expansion = try Fixtures.expansion(of: file)
      #expect(expansion == expected[file.lastPathComponent]?.sortedByScalars, "\(file.lastPathComponent)")
    }
  }

  @Test(
    "The fixtures expand as in the installed oracle",
    .enabled("the oracle is not installed: python3 -m pip install recurring-ical-events") { try isInstalled() },
    .timeLimit(.minutes(5)))
  func installed() throws {
    try compare(Fixtures.calendars(in: Fixtures.folder.appending(path: "calendars")))
  }

  @Test(
    "The shared calendars expand over five years as in the installed oracle",
    .enabled(if: FileManager.default.fileExists(atPath: sharedFolder.path), "there is no ../shared/data/calendars"),
    .enabled("the oracle is not installed: python3 -m pip install recurring-ical-events") { try isInstalled() },
    .timeLimit(.minutes(5)))
  func shared() throws {
    try compare(Fixtures.calendars(in: Self.sharedFolder))
  }

  private func compare(_ files: [URL]) throws {
    let span = [Fixtures.span.start, Fixtures.span.end].map(\.description)
    let script = Fixtures.folder.appending(path: "expand_with_oracle.py").path
    let output = try #require(try Self.oracle([script] + span + files.map(\.path)))
    let expected = try JSONDecoder().decode([String: [[String]]].self, from: output)
    for file in files {
      let expansion = try Fixtures.expansion(of: file)
      #expect(expansion == expected[file.lastPathComponent]?.sortedByScalars, "\(file.lastPathComponent)")
    }
  }

  private static func isInstalled() throws -> Bool {
    try oracle(["-c", "import recurring_ical_events"]) != nil
  }

  /// The output of Python, or `nil` if it fails.
  private static func oracle(_ arguments: [String]) throws -> Data? {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["python3"] + arguments
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return process.terminationStatus == 0 ? data : nil
  }
}
