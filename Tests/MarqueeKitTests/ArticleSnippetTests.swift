import Foundation
import MarqueeKit
import MarqueeTestKit
import Testing

/// The programs in the article of MarqueeTestKit, and commands in that of MarqueeKit.
@Suite("Articles", .timeLimit(.minutes(2)))
struct ArticleSnippetTests {
  @Test("The article's first test runs")
  func first() async throws {
    try await StackSimulator.run(from: "2021-06-07 08:00", in: "Europe/Berlin") { day in
      try await day.host(CardsWidgets(), app: "com.example.cards")
      try await day.addStack("home", ["com.example.news/Headlines", "com.example.cards/RecentPurchases"])
      try await day.advance(to: "18:00")
      #expect(try await day.front(of: "home", at: "11:41") == "RecentPurchases")
      #expect(try await day.rotations.map(\.time) == ["11:41"])
    }
  }

  @Test("Connections are cut, interrupted and delayed as in the article")
  func faults() async throws {
    try await StackSimulator.run(from: "2021-06-07 09:00") { day in
      try await day.host(CardsWidgets(), app: "com.example.cards")
      try await day.addStack("home", ["com.example.news/Headlines", "com.example.cards/RecentPurchases"])
      // Closes all connections; providers reconnect.
      await day.providerLink.cut()
      // No connection is possible meanwhile.
      try await day.providerLink.interrupt {
        try await day.advance(to: "10:00")
      }
      // Delays both directions, in real time.
      day.displayLink.delay = .milliseconds(300)
      #expect(try await day.front(of: "home") == "RecentPurchases")
    }
  }

  /// Replays a scenario as in the article, which names no file that exists.
  private func replay() async throws {
    try await StackSimulator.run(scenario: URL(filePath: "working-day.yaml")) { day in
      try await day.host(CardsWidgets(), app: "com.example.cards")
      try await day.advanceToEnd()
      #expect(try await day.rotations.map(\.time) == ["09:41"])
    }
  }

  @Test("The command of the article is an environment for a provider, and a file that does not exist is an error")
  func environment() async throws {
    let article = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../Sources/MarqueeKit/MarqueeKit.docc/MarqueeKit.md")
    let text = try String(contentsOf: article, encoding: .utf8)
    let command =
      "MARQUEE_APP=com.example.cards MARQUEE_DEVICE=phone MARQUEE_SERVER=unix:/run/marquee/marqueed.sock cards-widgets"
    #expect(text.contains("```sh\n\(command)\n```"))
    let settings = command.split(separator: " ").dropLast().map { $0.split(separator: "=", maxSplits: 1) }
    let environment = Dictionary(uniqueKeysWithValues: settings.map { (String($0[0]), String($0[1])) })
    let connection = try AppConnection(environment: environment)
    #expect(connection.app == "com.example.cards" && connection.device == "phone")
    #expect(connection.applicationName == "cards")
    await #expect(throws: (any Error).self) { try await replay() }
  }
}
