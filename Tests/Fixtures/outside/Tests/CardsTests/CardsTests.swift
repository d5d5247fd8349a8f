import Cards
import MarqueeTestKit
import Testing

@Test("A purchase brings the widget to the front")
func purchase() async throws {
  try await StackSimulator.run(from: "2021-06-07 09:00") { day in
    try await day.host(CardsWidgets(), app: "com.example.cards")
    try await day.addStack("home", ["com.example.news/Headlines", "com.example.cards/RecentPurchases"])
    try await day.advance(to: "12:00")
    #expect(try await day.front(of: "home", at: "09:41") == "RecentPurchases")
    #expect(try await day.whyNot("Headlines", in: "home").obstacles.isEmpty == false)
  }
}

@Test("The gallery shows a placeholder purchase, and a lost connection loses nothing")
func disturbance() async throws {
  try await StackSimulator.run(from: "2021-06-07 09:00") { day in
    try await day.host(CardsWidgets(), app: "com.example.cards")
    #expect(try await day.snapshot(of: "RecentPurchases") == "0.0")
    try await day.addStack("home", ["com.example.news/Headlines", "com.example.cards/RecentPurchases"])
    await day.providerLink.cut()
    try await day.advance(to: "10:00")
    #expect(try await day.rotations.map(\.time) == ["09:41"])
  }
}
