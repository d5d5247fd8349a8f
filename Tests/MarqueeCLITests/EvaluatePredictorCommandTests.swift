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

    struct Early: Decodable {
      struct Bins: Decodable {
        let prediction_count: Int
        let ece: Double?
      }

      let first_actions: [Bins]
      let experience: [Bins]
    }

    struct Sharp: Decodable {
      let mean_error: Double
      let claims: [Double]
    }

    struct Trigger: Decodable {
      let trigger: String
      let with: Double
    }

    struct Row: Decodable {
      let task: String
      let figure: String
      let count: Int
      let value: Double?
      let low: Double?
      let high: Double?
      let aim_max: Double?
    }

    let report: [Row]
    let synthetic_seed: Int?
    let person_count: Int
    let action_count: Int
    let next_action: [Method]
    let half_hour: [String: [Method]]
    let early_calibration: Early
    let sharp_habit: [Sharp]
    let triggers: [Trigger]
  }

  private func evaluate(_ content: String, _ arguments: String...) async throws -> Binary.Outcome {
    let file = try Binary.file("log.tsv", content)
    defer { unlink(file.path) }
    return try await Binary.run(["evaluate-predictor", file.path, "--people", "2"] + arguments)
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
    #expect(report.early_calibration.first_actions.count == 2 && report.early_calibration.experience.count == 4)
    #expect(report.early_calibration.first_actions.last?.ece != nil)
    #expect(report.sharp_habit.count == 36 && report.sharp_habit.allSatisfy { $0.claims.count == 25 })
    #expect(report.triggers.map(\.trigger) == ["waking", "arrival", "focus"])
    let words = try await evaluate(Self.log)
    #expect(words.status == 0)
    let texts = [
      "Next action: 1 person, 72 actions", "Half hour, time alone", "most frequent (MFU)", "All tasks",
      "sharp habit, 9 times",
    ]
    for line in texts {
      #expect(words.output.contains(line), "\(words.output)")
    }
  }

  @Test("Without a file, synthetic people are evaluated, with an interval for every figure")
  func synthetic() async throws {
    let arguments = ["evaluate-predictor", "--people", "2", "--days", "10", "--json"]
    let outcome = try await Binary.run(arguments)
    #expect(outcome.status == 0, "\(outcome.errors)")
    let report = try JSONDecoder().decode(Report.self, from: Data(outcome.output.utf8))
    #expect(report.synthetic_seed == 1 && report.person_count == 2)
    let tasks = Set(report.report.map(\.task))
    #expect(tasks.isSuperset(of: ["next action", "half hour, time alone", "early calibration", "trigger: waking"]))
    let measured = report.report.filter { $0.value != nil }
    #expect(measured.count > 30 && measured.allSatisfy { $0.low ?? 1 <= $0.high ?? 0 && $0.count > 0 })
    let early = report.report.first { $0.figure == "ECE, first 50 actions" }
    #expect(early?.aim_max == 0.03)
    let again = try await Binary.run(arguments + ["--seed", "1"])
    #expect(again.output == outcome.output)
    let wrong = try await Binary.run(["evaluate-predictor", "--people", "0"])
    #expect(wrong.status == 64 && wrong.errors.contains("--people must be in 1…1000"))
  }

  @Test("The reliability by experience is drawn as an SVG file")
  func picture() async throws {
    let target = try Binary.file("reliability.svg", "")
    defer { unlink(target.path) }
    let outcome = try await evaluate(Self.log, "--svg", target.path)
    let drawing = try String(contentsOf: target, encoding: .utf8)
    #expect(outcome.status == 0)
    #expect(drawing.hasPrefix("<svg") && drawing.contains("4–10 occurrences"))
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
