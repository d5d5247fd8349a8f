import Testing

@testable import MarqueeBench

@Suite struct GrowthTests {
  @Test("A chart has a point for each figure, in the panel of its curve, and a text description")
  func chart() {
    var (flat, steep) = (GrowthCurve("Things", "a thing, µs"), GrowthCurve("Others", "another, µs"))
    for (count, figure) in [(1, 2.0), (10, 2.5), (100, 2.0), (1_000, 2.2)] { flat.add(count, figure) }
    for count in [10, 100, 1_000, 10_000] { steep.add(count, Double(count) / 4) }
    #expect(flat.cells == ["Things", "a thing, µs", "1: 2.0", "10: 2.5", "100: 2.0", "1000: 2.2", "1.1"])
    let svg = GrowthChart(title: "Growth", curves: [flat, steep]).svg
    #expect(svg.count { $0 == "<" } == svg.count { $0 == ">" })
    #expect(svg.components(separatedBy: "<circle").count == 9)
    #expect(svg.contains("Things, a thing, µs: 2.0 at 1, 2.5 at 10, 2.0 at 100, 2.2 at 1\u{2009}000."))
    // Linear growth is a straight line within its grid of four decades.
    #expect(svg.contains("M52.0 181.7L135.3 145.7L218.7 109.7L302.0 73.7"))
  }

  @Test("A device grows to the given number of widgets, and accepts the user's donations")
  func home() throws {
    var home = try GrowingHome(widgetCount: 90, entryCount: 3)
    #expect(home.stacks.count == 3 && home.widgets.count == 90)
    for _ in 0..<50 { try home.donate() }
    #expect(home.device.donationCount() == 50 && home.device.learnedActionCount == 40)
  }
}
