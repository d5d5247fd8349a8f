import MarqueeTestKit
import Testing

@Suite("A provider written with Apple's API", .timeLimit(.minutes(2)))
struct CardsWidgetsTests {
  // [test]
  @Test func purchaseComesToTheFront() async throws {
    try await StackSimulator.run(from: "2021-06-07 09:00") { day in
      try await day.host(CardsWidgets(), app: "com.example.cards")
      try await day.addStack("home", ["com.example.news/Headlines", "com.example.cards/RecentPurchases"])
      try await day.advance(to: "18:00")
      #expect(try await day.front(of: "home", at: "09:40") == "Headlines")
      #expect(try await day.front(of: "home", at: "09:41") == "RecentPurchases")
    }
  }
  // [end]
}
