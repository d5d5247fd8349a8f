import Cards
import MarqueeTestKit
import XCTest

final class CardsXCTests: XCTestCase {
  func testPurchase() async throws {
    let rotations = try await StackSimulator.run(from: "2021-06-07 09:00") { day in
      try await day.host(CardsWidgets(), app: "com.example.cards")
      try await day.addStack("home", ["com.example.news/Headlines", "com.example.cards/RecentPurchases"])
      try await day.advance(to: "12:00")
      return try await day.rotations
    }
    XCTAssertEqual(rotations.map(\.time), ["09:41"])
  }
}
