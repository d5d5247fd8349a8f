import Foundation
import Testing

@testable import MarqueeServer

/// The texts of limits in the console.
struct LimitTextTests {
  @Test("The console says in German what every limit bounds, and knows no other limit")
  func german() throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Sources/CMarqueeConsole/Files/limitsde.js")
    let text = try String(contentsOf: file, encoding: .utf8)
    let known = text.matches(of: /(?m)^  "say\.limit ([a-z-]+)":/).map { String($0.1) }
    #expect(known == known.sorted())
    let names = LimitEntry.all.map(\.name)
    #expect(Set(known) == Set(names), "\(Set(known).symmetricDifference(names).sorted())")
  }
}
