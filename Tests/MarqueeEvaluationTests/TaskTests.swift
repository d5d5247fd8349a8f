import Foundation
import MarqueeEvaluation
import Testing

@Suite struct TaskTests {
  /// The logs of the published results; they are not part of the repository.
  private static let data = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../../shared/data/habits").standardized

  private static var isDataHere: Bool { FileManager.default.fileExists(atPath: data.path) }

  /// Two habits a day on working days, and a third that alternates, for `dayCount` days.
  private static func log(dayCount: Int, person: String = "p") -> String {
    (0..<dayCount).flatMap { day in
      let date = String(format: "2024-%02d-%02d", 1 + day / 28, 1 + day % 28)
      return ["08:10\topen\tweather", "12:20\topen\t\(day % 2 == 0 ? "soup" : "salad")", "18:05\topen\tnews"].map {
        "\(person)\t\(date)T\($0)"
      }
    }.joined(separator: "\n")
  }

  @Test(
    "MFU and MRU come out as published on the real logs",
    .enabled(if: TaskTests.isDataHere, "needs ../shared/data/habits next to the checkout"),
    arguments: [
      ("phones-a", [0.195, 0.410, 0.543, 0.349], [0.214, 0.439, 0.564, 0.373], 5_520),
      ("lifelog-early", [0.217, 0.328, 0.416, 0.324], [0.144, 0.273, 0.353, 0.271], 3_361),
    ])
  func published(name: String, frequent: [Double], recent: [Double], count: Int) throws {
    let log = try HabitLog(bytes: Data(contentsOf: Self.data.appending(path: "\(name).tsv")))
    let task = NextActionTask(log, methods: [.mostFrequent, .mostRecent])
    for (method, expected) in [(Method.mostFrequent, frequent), (.mostRecent, recent)] {
      let scores = try #require(task.scores[method])
      #expect(scores.count == count)
      let rates = [scores.hitRate1, scores.hitRate3, scores.hitRate5, scores.meanReciprocalRank]
      let found = rates.compactMap(\.self)
      #expect(found.count == expected.count)
      for (one, other) in zip(found, expected) { #expect(abs(one - other) <= 0.002, "\(method): \(found)") }
    }
  }

  @Test("The last fifth is scored, repeats and short logs are left out")
  func counting() throws {
    let repeated = (0..<90).map { "r\t2024-01-01T10:\(String(format: "%02d", $0 % 60))\topen\tx" }
    let text = Self.log(dayCount: 30) + "\n" + repeated.joined(separator: "\n")
    let task = NextActionTask(try HabitLog(bytes: Array(text.utf8)), methods: [.mostRecent])
    #expect(task.personCount == 1)
    #expect(task.useCount == 90)
    #expect(task.scores[.mostRecent]?.count == 18)
    #expect(task.scores[.mostRecent]?.unseenCount == 0)
  }

  @Test("The predictor is evaluated with every baseline, in both tasks")
  func everything() throws {
    let log = try HabitLog(bytes: Array(Self.log(dayCount: 24).utf8))
    let next = NextActionTask(log)
    #expect(next.scores.count == Method.allCases.count)
    let hitRate = try #require(next.scores[.marquee]?.hitRate1)
    #expect(hitRate > 0.6)
    #expect(hitRate > next.scores[.mostRecent]?.hitRate1 ?? 1)
    let clock = HalfHourTask(log, basis: .timeAlone, methods: [.marquee, .mostFrequent, .mostRecent])
    #expect(clock.scores.keys.contains(.mostRecent) == false)
    let scores = try #require(clock.scores[.marquee])
    #expect(scores.slotCount == 19 * 96)
    // A window that ends with the use counts, one that starts with it does not.
    #expect(scores.activeCount == 19 * 6)
    #expect(try #require(scores.precision1) > 0.6)
    #expect(try #require(scores.calibrationError) < 0.05)
    let precisionOfAll = try #require(scores.precision1OfAll)
    #expect(try #require(scores.precision(ofMostConfident: 0.1)) > precisionOfAll)
  }

  @Test("A rank counts once in each rate that it is within, and without ranks there is no rate")
  func ranks() throws {
    var scores = RankScores()
    #expect(scores.hitRate1 == nil && scores.meanReciprocalRank == nil && scores.unseenShare == nil)
    for rank in [1, 3, 5, 10, nil] { scores.add(rank: rank) }
    #expect([scores.hitRate1, scores.hitRate3, scores.hitRate5] == [0.2, 0.4, 0.6])
    let meanReciprocalRank = try #require(scores.meanReciprocalRank)
    #expect(abs(meanReciprocalRank - (1 + 1.0 / 3 + 0.2 + 0.1) / 5) < 1e-12)
    #expect(scores.unseenShare == 0.2)
  }
}
