import Foundation
import Testing

@Suite(.timeLimit(.minutes(1)))
struct EvaluatePredictorCommandTests {
  /// Six habits a day for 12 days.
  private static let log = (10...21).flatMap { day in
    [
      "07:10\topen\tweather", "08:00\topen\tnews", "12:20\topen\tlunch", "13:00\tcall\twork", "18:05\tcall\thome",
      "22:30\topen\tclock",
    ].map { "p\t2024-03-\(day)T\($0)\t" }
  }.joined(separator: "\r\n")

  private struct Report: Decodable {
    struct Method: Decodable {
      let method: String
      let hr_1: Double?
      let p_1: Double?
      let changes_per_day: Double?
      let ece: Double?
    }

    let person_count: Int
    let action_count: Int
    let next_action: [Method]
    let half_hour: [String: [Method]]
  }

  private func evaluate(_ content: String, _ arguments: String...) async throws -> Binary.Outcome {
    let file = try Binary.file("log.tsv", content)
    defer { unlink(file.path) }
    return try await Binary.run(["evaluate-predictor", file.path] + arguments)
  }

  @Test("P A log is evaluated with every method, as text and as JSON")
  func measures() async throws {
    let json = try await evaluate(Self.log, "--json")
    #expect(json.status == 0 && json.errors.isEmpty)
    let report = try JSONDecoder().decode(Report.self, from: Data(json.output.utf8))
    #expect((report.person_count, report.action_count) == (1, 72))
    #expect(report.next_action.count == 11)
    #expect(report.next_action.first?.method == "Marquee")
    let (clock, recent) = (report.half_hour["time_alone"] ?? [], report.half_hour["everything"] ?? [])
    #expect((clock.count, recent.count) == (7, 11))
    #expect(clock.first?.ece != nil && clock.last?.ece == nil)
    let words = try await evaluate(Self.log)
    #expect(words.status == 0)
    for line in ["Next action: 1 people, 72 actions", "Half hour, time alone", "most frequent (MFU)"] {
      #expect(words.output.contains(line), "\(words.output)")
    }
  }

  @Test("P A metric for which nothing was scored is a hyphen, and null in JSON")
  func unscored() async throws {
    let short = try await evaluate("p\t2024-03-01T07:10\topen\n")
    #expect(short.status == 0 && short.output.contains("0 scored, - of them new"), "\(short.output)")
    // Enough actions to be evaluated, on too few days to score half hours.
    let busy = (1...2).flatMap { day in
      (0..<36).map { index -> String in
        let time = String(format: "%02d:%02d", 5 + index / 2, index % 2 * 30)
        return "p\t2024-03-0\(day)T\(time)\topen\t\(index % 3)\t"
      }
    }.joined(separator: "\n")
    let report = try JSONDecoder().decode(Report.self, from: Data(try await evaluate(busy, "--json").output.utf8))
    #expect(report.next_action.count == 11 && report.next_action.allSatisfy { $0.hr_1 != nil })
    #expect(report.half_hour.values.map(\.count).sorted() == [7, 11])
    #expect(report.half_hour.values.joined().allSatisfy { $0.p_1 == nil && $0.changes_per_day == nil })
    let rows = try await evaluate(busy).output.components(separatedBy: "Half hour, time alone\n")
    #expect(rows.count == 2 && !rows[1].contains("0.000") && rows[1].contains("  -"), "\(rows)")
  }

  @Test("An invalid file ends with status 64 and a message with the line and the reason")
  func wrongFiles() async throws {
    let wrong = try await evaluate("p\t2024-01-01T10:00\topen\np\tnoon\topen\n")
    #expect(wrong.status == 64 && wrong.output.isEmpty)
    #expect(wrong.errors.contains("line 2: expected a time such as 2013-11-11T09:35:09 as the second field"))
    let missing = try await Binary.run(["evaluate-predictor", "/nowhere.tsv"])
    #expect(missing.status == 64 && missing.errors.contains("/nowhere.tsv: the file cannot be opened"))
  }
}
