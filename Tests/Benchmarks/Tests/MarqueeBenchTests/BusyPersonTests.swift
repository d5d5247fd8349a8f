import MarqueePredictor
import Testing

@testable import MarqueeBench

@Suite struct BusyPersonTests {
  @Test("Every run measures the same history, and a longer history starts with the shorter one")
  func sameLife() {
    let person = BusyPerson(count: 500, actions: 100)
    #expect(person.uses.count == 500 && BusyPerson(count: 500, actions: 100).uses == person.uses)
    #expect(BusyPerson(count: 1_000, actions: 100).uses.prefix(500) == person.uses[...])
    let actions = Set(person.uses.map(\.action.number))
    #expect(actions.count > 50 && actions.allSatisfy((0..<100).contains))
    let times = (person.uses.map(\.moment) + [person.tomorrow]).map { $0.day * 86_400 + $0.second }
    #expect(times == times.sorted())
  }

  @Test("A spread contains the median, minimum and maximum")
  func spread() {
    #expect(Spread([3, 1, 2]).text == "2.0 (1.0–3.0)" && Spread([4, 1, 2, 3]).median == 2.5)
    #expect(Spread([30, 10]).divided(by: 10).text == "2.0 (1.0–3.0)")
    let measured = Spread.microseconds(rounds: 3, count: 10) { _ = BusyPerson(count: 100, actions: 10) }
    #expect(measured.median > 0)
  }

  @Test("The predictor's table has a row of seven figures per history")
  func table() {
    let lines = PredictorBenchmark(rounds: 1, histories: [(100, 10), (200, 20)]).report.text.split(separator: "\n")
    #expect(lines.count == 4)
    #expect(lines.allSatisfy { $0.split(separator: "|", omittingEmptySubsequences: false).count == 9 })
    #expect(lines[2].hasPrefix("| 100 | 10 | ") && lines[3].hasPrefix("| 200 | 20 | "))
  }
}
