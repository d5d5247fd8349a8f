import Foundation
import MarqueeTestSupport
import Testing

/// `marquee backtest` against the real `marqueed`.
@Suite("Backtest of a log", .timeLimit(.minutes(5)))
struct BacktestCommandTests {
  /// Three daily habits for four weeks in July 2024, at home and at work; a second person begins two days before
  /// the end.
  static let log = (1...28).flatMap { day in
    let date = "2024-07-\(day < 10 ? "0" : "")\(day)"
    let habits = [
      "08:10:00\topen\tweather\thome", "08:10:00\topen\tnews\thome", "12:20:30\torder\tsoup\twork",
      "18:05\topen\ttrains\t", "18:06\topen\ttrains\t",
    ]
    return habits.map { "regular\t\(date)T\($0)" } + (day > 26 ? ["late\t\(date)T09:00\topen\tmail"] : [])
  }.joined(separator: "\n")

  private func replay(
    _ log: String, _ arguments: [String] = [], start: String = "manual=2024-01-01T00:00:00Z",
    _ body: (Marquee, Marquee.Outcome) async throws -> Void
  ) async throws {
    let directory = try TemporaryDirectory()
    let file = try directory.write(log, to: "log.tsv")
    let options = ["--data-dir", directory.file("data"), "--listen", "unix:\(directory.file("socket"))"]
    try await Daemon.run(options + ["--clock", start]) { _, endpoints in
      let marquee = Marquee(endpoint: endpoints[0], directory: directory)
      try await body(marquee, try await marquee.run(["backtest", file] + arguments))
    }
  }

  @Test("P5 Habits of four weeks bring their widgets to the front in time, and the report is deterministic")
  func habits() async throws {
    var outputs: [String] = []
    for _ in 0..<2 {
      try await replay(Self.log, ["--days", "7", "--widgets", "4"]) { marquee, outcome in
        #expect(outcome.exit == .code(0) && outcome.errors.isEmpty, "\(outcome.errors)")
        outputs.append(outcome.output)
        let stack = try await marquee.json("devices")["devices"].list
        #expect(stack.map { $0["device"].text } == ["regular"] && stack[0]["stack_count"].number == 0)
        #expect(try await marquee.json("clock")["now"].text == "2024-07-29T00:00:00+00:00")
        #expect(try await marquee.json("donations", "regular", "--count", "1")["donation_count"].number == 140)
      }
    }
    #expect(outputs[0] == outputs[1])
    let lines = outputs[0].split(separator: "\n").map {
      $0.split(whereSeparator: { " ".contains($0) }).map(String.init)
    }
    #expect(lines[0].joined(separator: " ") == "The last 7 days of 1 people")
    #expect(Array(lines[2].prefix(4)) == ["regular", "7", "35", "35"])
    let (rotations, useShare) = (try #require(Int(lines[2][4])), try #require(Double(lines[2][8])))
    #expect(rotations >= 14 && useShare >= 0.8, "\(outputs[0])")
    #expect(lines[3].dropFirst() == lines[2].dropFirst())
    // The trains are used most, always twice in a row.
    let shares = Dictionary(uniqueKeysWithValues: lines.suffix(3).map { ($0[0...1].joined(separator: " "), $0) })
    #expect(shares["most frequent"]?.last == "0.400" && shares["most recent"]?.last == "0.200")
  }

  @Test("The report is also available as JSON, and places change with the actions")
  func json() async throws {
    try await replay(Self.log, ["--person", "regular", "--days", "3", "--json"]) { marquee, outcome in
      let report = JSONDocument(try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)))
      let people = report["people"].list.map { $0["person"].text }
      #expect(report["day_count"].number == 3 && people == ["regular"])
      let all = report["all"]
      #expect(all["use_count"].number == 15 && all["stack_use_count"].number == 15)
      #expect(all["choices"].list.compactMap { $0["method"].text }.count == 4)
      let donations = try await marquee.json("donations", "regular", "--count", "20")["donations"].list
      let names = donations.map { $0["place"].isNull ? "" : "somewhere" }
      #expect(names.prefix(5) == ["", "", "somewhere", "somewhere", "somewhere"])
      #expect(names.suffix(5) == ["", "", "", "", ""])
    }
  }

  @Test("Unsuitable servers and logs are rejected with a hint")
  func rejections() async throws {
    try await replay(Self.log, ["--person", "regular"], start: "system") { marquee, outcome in
      #expect(outcome.exit == .code(1) && outcome.errors.contains("the server's clock cannot be moved"))
      #expect(outcome.errors.contains("--clock manual=2024-07-22T00:00:00Z"))
    }
    try await replay(Self.log, start: "manual=2024-07-22T00:00:01Z") { marquee, outcome in
      #expect(outcome.exit == .code(1) && outcome.errors.contains("shows 2024-07-22T00:00:01Z"))
    }
    try await replay(Self.log, ["--person", "regluar"]) { marquee, outcome in
      #expect(outcome.exit == .code(1) && outcome.errors.contains("Did you mean \"regular\"?"))
    }
    try await replay(Self.log, ["--person", "late"]) { marquee, outcome in
      #expect(outcome.exit == .code(1) && outcome.errors.contains("7 days before the last 7"))
    }
    try await replay(Self.log, ["--days", "0"]) { _, outcome in #expect(outcome.exit == .code(64)) }
    try await replay("p\tnoon\topen") { _, outcome in
      #expect(outcome.exit == .code(64) && outcome.errors.contains("line 1"))
    }
    try await replay(Self.log) { marquee, _ in
      let again = try await marquee.run(["backtest", marquee.directory.file("log.tsv")])
      #expect(again.exit == .code(1) && again.errors.contains("the server's clock shows"))
    }
  }
}
