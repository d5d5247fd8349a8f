import Foundation
import MarqueeClient
import MarqueeModel
import MarqueeTransport
import ServerProcess
import Testing

@Suite("The first provider", .timeLimit(.minutes(2)))
struct FirstProviderTests {
  @Test("It publishes a timeline that the display shows, and answers the request for the next")
  func run() async throws {
    try await TestServer.run { server in
      let rain = Home.widget("Rain", of: Home.weatherApp)
      try await Home.build(server.connection(), members: [rain])
      var watcher = try await Watcher(server.display())
      let (endpoint, clock) = (server.endpoint, server.clock)
      try await withThrowingTaskGroup { group in
        group.addTask {
          try await provideRain(on: endpoint, to: Home.device) { [Home.entry(clock.now, "\(clock.now)")] }
        }
        let first = try await watcher.nextEntry()
        #expect(first.entry?.date == Home.start)
        // Its timeline is at its end at once, so that it is asked for the next: as often as the budget allows.
        server.clock.advance(to: Home.after(.minutes(5)))
        let second = try await watcher.nextEntry()
        #expect(second.entry?.date == Home.after(.minutes(5)))
        group.cancelAll()
      }
    }
  }

  @Test("The README shows exactly the program that is tested here")
  func readme() throws {
    let here = URL(filePath: #filePath).deletingLastPathComponent()
    let source = try String(contentsOf: here.appending(path: "FirstProvider.swift"), encoding: .utf8)
    let lines = source.components(separatedBy: "\n")
    let first = try #require(lines.firstIndex(of: "// [first provider]"))
    let last = try #require(lines.firstIndex(of: "// [end]"))
    let program = lines[(first + 1)..<last].joined(separator: "\n")
    #expect(program.contains("ProviderClient.run"))
    let readme = here.appending(path: "../../README.md")
    guard FileManager.default.fileExists(atPath: readme.path) else { return }
    let blocks = try String(contentsOf: readme, encoding: .utf8).components(separatedBy: "```swift\n").dropFirst()
    let programs = blocks.compactMap { $0.components(separatedBy: "\n```").first }
    for block in programs where block.contains("ProviderClient") { #expect(block == program) }
  }
}
