import Foundation
import MarqueeTestSupport
import Testing

/// Tests of the commands in the README and the articles.
@Suite("README", .timeLimit(.minutes(2)))
struct ReadmeTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// The code blocks of one language in a Markdown file.
  private static func blocks(_ language: String, in path: String = "README.md") throws -> [String] {
    let text = try String(contentsOf: root.appending(path: path), encoding: .utf8)
    return text.components(separatedBy: "```\(language)\n").dropFirst().map { $0.components(separatedBy: "```\n")[0] }
  }

  @Test("CI runs every script in a single-command block of the README and the articles")
  func scripts() throws {
    let ci = try String(contentsOf: Self.root.appending(path: ".ci/run"), encoding: .utf8)
    let articles = ["MarqueePredictor/MarqueePredictor.docc/Prediction.md"].map { "Sources/\($0)" }
    for path in ["README.md"] + articles {
      let commands = try Self.blocks("sh", in: path).map { $0.split(separator: "\n") }.filter { $0.count == 1 }
      #expect(commands.count == 2)
      for command in commands { #expect(ci.contains(command[0]), "\(path) shows \(command[0])") }
    }
  }

  @Test("The README's first session runs, and why-not prints the README's output")
  func session() async throws {
    let walk = try Self.blocks("sh").map { $0.split(separator: "\n").map(String.init) }.filter { $0.count > 1 }
    let directory = try TemporaryDirectory()
    var settings = ""
    var (running, answers): ([Daemon], String) = ([], "")
    defer { for process in running { process.send(signal: SIGKILL) } }
    for line in walk.flatMap(\.self) where !line.hasPrefix("#") {
      let command = line.replacing("/tmp/marquee", with: directory.path).replacing(":7411", with: ":0")
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
    #expect(FileManager.default.fileExists(atPath: directory.file("phone.svg")))
    let shown = try Self.blocks("text").first { $0.contains("phone/home") }
    #expect(Self.timeless(answers) == Self.timeless(try #require(shown)), "\(answers)")
  }

  @Test("The commands of the article Configuration write a file with which a server starts")
  func configuration() async throws {
    let article = "Sources/MarqueeDaemon/MarqueeDaemon.docc/Configuration.md"
    let commands = try Self.blocks("sh", in: article).flatMap { $0.split(separator: "\n").map(String.init) }
    #expect(commands == ["marqueed settings >marqueed.yaml", "marqueed --config marqueed.yaml"])
    let directory = try TemporaryDirectory()
    let bin = URL(filePath: Daemon.program).deletingLastPathComponent().path
    let settings = """
      cd '\(directory.path)'; export PATH=\(bin):$PATH MARQUEED_DATA_DIR=data MARQUEED_LISTEN=unix:socket
      """
    let writing = try Daemon(["-c", "\(settings); exec \(commands[0])"], program: "/bin/bash")
    #expect(try await writing.wait() == .code(0))
    let serving = try Daemon(["-c", "\(settings); exec \(commands[1]) >&2"], program: "/bin/bash")
    defer { serving.send(signal: SIGKILL) }
    _ = try await serving.log.line(with: ":")
    #expect(FileManager.default.fileExists(atPath: directory.file("data")))
  }

  @Test("The picture of the article Simulating is the simulation of its scenario")
  func picture() async throws {
    let folder = "Sources/MarqueeSimulator/MarqueeSimulator.docc"
    let text = try String(contentsOf: Self.root.appending(path: "\(folder)/MarqueeSimulator.md"), encoding: .utf8)
    let name = try #require(text.firstMatch(of: #/\]\(([^)]*working-day\.svg)\)/#)).1
    let picture = "\(folder)/Resources/\(name)"
    let directory = try TemporaryDirectory()
    let bin = URL(filePath: Daemon.program).deletingLastPathComponent().path
    let scenario = picture.replacing(".svg", with: ".yaml")
    let command = "\(bin)/marquee simulate \(scenario) --svg \(directory.file("day.svg"))"
    #expect(try await Self.start("true", command).wait() == .code(0))
    let isDrawn = FileManager.default.contentsEqual(
      atPath: Self.root.appending(path: picture).path, andPath: directory.file("day.svg"))
    #expect(isDrawn)
  }

  /// Removes dates and times of day, which differ between runs, from `text`.
  private static func timeless(_ text: String) -> String {
    text.replacing(#/\d{4}-\d{2}-\d{2} /#, with: "").replacing(#/\d{2}:\d{2}:\d{2}/#, with: "00:00:00")
      .replacing(#/1[45] min( \d+ s)?/#, with: "15 min")
  }

  /// Starts a shell command at the package's root, with its output in the process's log.
  private static func start(_ settings: String, _ command: String) throws -> Daemon {
    try Daemon(["-c", "\(settings); cd '\(root.path)'; exec \(command) >&2"], program: "/bin/bash")
  }
}
