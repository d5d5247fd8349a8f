import Configuration
import Foundation
import MarqueeModel
import MarqueeScheduler
import MarqueeServer
import ServerProcess
import Testing

/// What the README tells people to type and to set.
@Suite("The README", .timeLimit(.minutes(2)))
struct ReadmeTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// The README's blocks in one language.
  private static func blocks(_ language: String) throws -> [String] {
    let text = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
    return text.components(separatedBy: "```\(language)\n").dropFirst().map { $0.components(separatedBy: "```\n")[0] }
  }

  @Test("Every command runs: the scripts in CI, the walk by hand here, in its order; why not is answered as shown")
  func commands() async throws {
    let blocks = try Self.blocks("sh").map { $0.split(separator: "\n").map(String.init) }
    let walk = blocks.filter { $0.count > 1 }.flatMap(\.self)
    let scripts = ["demo", "test", "evaluate", "replay", "bench"].map { ["Deploy/\($0).sh"] }
    #expect(blocks.filter { $0.count == 1 } == scripts)
    let directory = try TemporaryDirectory()
    var settings = ""
    var (running, answers): ([Daemon], String) = ([], "")
    defer { for process in running { process.send(signal: SIGKILL) } }
    for line in walk {
      let command = line.replacing("/tmp/marquee", with: directory.path)
        .replacing("$PWD/.build/debug", with: URL(filePath: Daemon.program).deletingLastPathComponent().path)
      if command.hasPrefix("export ") {
        settings = command
      } else if command.hasSuffix(" &") {
        running.append(try Self.start(settings, String(command.dropLast(2))))
        _ = try await running.last?.log.line(with: ":")
      } else {
        let process = try Self.start(settings, command)
        let exit = try await process.wait()
        #expect(exit == .code(0), "\(line): \(process.log.text)")
        if line.hasPrefix("marquee why-not") { answers += process.log.text }
      }
    }
    #expect(FileManager.default.fileExists(atPath: directory.file("next-event.svg")))
    let shown = try Self.blocks("text").first { $0.contains("phone/home") }
    #expect(Self.timeless(answers) == Self.timeless(try #require(shown)))
    let text = try String(contentsOf: Self.root.appending(path: "README.md"), encoding: .utf8)
    let picture = try #require(text.firstMatch(of: #/\]\(([^)]*working-day\.svg)\)/#)).1
    let isDrawn = FileManager.default.contentsEqual(
      atPath: Self.root.appending(path: String(picture)).path, andPath: directory.file("day.svg"))
    #expect(isDrawn, "the picture is not what its command draws")
  }

  /// A text without what differs from one run to the next: dates, times of day and the rest of a quarter of an hour.
  private static func timeless(_ text: String) -> String {
    text.replacing(#/\d{4}-\d{2}-\d{2} /#, with: "").replacing(#/\d{2}:\d{2}:\d{2}/#, with: "00:00:00")
      .replacing(#/1[45] min( \d+ s)?/#, with: "15 min")
  }

  /// A process that runs a command as a shell at the package's root would, and writes its output to its log.
  private static func start(_ settings: String, _ command: String) throws -> Daemon {
    try Daemon(["-c", "\(settings); cd '\(root.path)'; exec \(command) >&2"], program: "/bin/bash")
  }

  @Test("The settings that it shows are the defaults")
  func defaults() async throws {
    let directory = try TemporaryDirectory()
    let file = try directory.write(try #require(try Self.blocks("yaml").first), to: "settings.yaml")
    let reader = ConfigReader(providers: [
      InMemoryProvider(values: ["data-dir": "data", "listen": .init(.stringArray(["unix:socket"]), isSecret: false)]),
      try await FileProvider<YAMLSnapshot>(filePath: .init(file)),
    ])
    let shown = try MarqueeConfiguration(reading: reader)
    #expect(shown.policy == .standard)
    #expect(shown.limits == .standard)
    let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").filter { $0.hasPrefix("  ") }
    let keys = lines.map { String($0.prefix { $0 != ":" }.dropFirst(2)) }
    #expect(keys.prefix(PolicyField.all.count) == PolicyField.all.map { $0.name.replacing("_", with: "-") }[...])
    #expect(keys.dropFirst(PolicyField.all.count) == MarqueeConfiguration.limitNames[...])
    let standard = MarqueeConfiguration(dataDirectory: "data", endpoints: [])
    for name in MarqueeConfiguration.limitNames { #expect(shown[limit: name] == standard[limit: name], "\(name)") }
  }
}
