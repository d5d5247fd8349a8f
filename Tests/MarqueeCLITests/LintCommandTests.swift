import Foundation
import Testing

@Suite(.timeLimit(.minutes(1)))
struct LintCommandTests {
  private static let cases = """
    - name: containers
      from: 2024-03-08T00:00
      entries: [[0, 0.4, 0]]
      policy: {after: 120}
      then:
        - {at: 30, entries: [[30, 0.4, 0], [90, nil]], policy: atEnd}
        - {at: 60, entries: [[60, 9.6, 0]]}
    - name: shortcuts only
      from: 2024-03-08T00:00
    - from: 2024-03-08T00:00
      publishedAt: 30
      entries: [[0, 1, 3600], [60.5, 0, 0]]
    """

  private struct Report: Decodable, Equatable {
    struct Finding: Decodable, Equatable {
      let `case`: String
      var subject = "timeline"
      var timeline: Int?
      var set: Int?
      let code: String
      var entry: Int?
      var item: Int?
    }

    let case_count: Int
    let timeline_count: Int
    var set_count = 0
    let findings: [Finding]
  }

  private func lint(_ name: String, _ content: String, _ arguments: String...) async throws -> Binary.Outcome {
    let file = try Binary.file(name, content)
    defer { unlink(file.path) }
    return try await Binary.run(["lint", file.path] + arguments)
  }

  private func report(_ outcome: Binary.Outcome) throws -> Report {
    try JSONDecoder().decode(Report.self, from: Data(outcome.output.utf8))
  }

  @Test("L Timelines of a file are linted in order, and each finding has its line")
  func yaml() async throws {
    let outcome = try await lint("a.yaml", Self.cases)
    #expect(outcome.status == 1 && outcome.errors.isEmpty)
    let lines = outcome.output.split(separator: "\n")
    #expect(lines.count == 4)
    #expect(lines.allSatisfy { $0.hasPrefix("containers: timeline ") })
    #expect(lines[3].hasPrefix("containers: timeline 2: entry 0: the highest score is 9.6, the kind's so far 0.4"))
    #expect(lines[3].hasSuffix(" [scale-changed]"))
    let json = try await lint("a.yml", Self.cases, "--json")
    #expect(json.status == 1)
    let cleared = (0..<3).map {
      Report.Finding(case: "containers", timeline: $0, code: "score-never-cleared", entry: 0)
    }
    let scale = Report.Finding(case: "containers", timeline: 2, code: "scale-changed", entry: 0)
    #expect(try report(json) == Report(case_count: 2, timeline_count: 4, findings: cleared + [scale]))
  }

  @Test("L A file without a start time starts now, or at the given time")
  func fromNow() async throws {
    let content = "shortcuts: [{kind: A, windows: [[0, 30]]}]"
    #expect(try await lint("a.yaml", content).status == 0)
    let over = try await lint("a.yaml", content + "\npublishedAt: 40")
    #expect(over.status == 1 && over.output.contains("ended 10 min ago"))
    let late = try await lint("a.yaml", content, "--from", "9999-12-31 23:45")
    #expect(late.status == 64 && late.errors.contains("out of range (years"))
  }

  @Test("The article contains the purchase of the README, which has no findings")
  func purchase() async throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../Sources/MarqueeLint/MarqueeLint.docc")
    let file = folder.appending(path: "Resources/purchase.yaml").standardized
    let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").filter { !$0.hasPrefix("#") }
    let article = try String(contentsOf: folder.appending(path: "Files.md"), encoding: .utf8)
    #expect(article.contains("```yaml\n\(lines.joined(separator: "\n"))\n```"))
    let outcome = try await Binary.run(["lint", file.path])
    #expect(outcome.status == 0 && outcome.output == "No findings.\n")
  }

  private static let sets = """
    - name: cards
      from: 2021-06-07T00:00
      eligible: [[581, 611]]
      relevantShortcuts:
        - at: 581
          shortcuts:
            - {kind: Purchases, windows: [[581, 611]], role: information,
               intent: {type: View, parameters: {card: {object: "7", display: Visa}, name: Visa}}}
            - {kind: Offers, providers: [gym, location, other]}
        - {at: 700, kind: News, windows: [[720, 740], [735]], providers: [morning, [800, 801]]}
        - {at: 710, shortcuts: []}
      lint: []
    - name: radio
      from: 2024-03-08T00:00
      relevantIntents: [{at: 600, windows: [[600, 720], [600, 720], [500, 600]]}, {at: 655, windows: []}]
    - name: matches
      from: 2024-03-08T00:00
      publishedAt: 30
      relevantIntents:
        - intents:
            - {kind: Match, intent: {type: Team, parameters: {team: {enum: a}}}, window: [60, 150]}
            - {kind: Match, intent: {type: Team, parameters: {team: {enum: b}}}, window: [60, 150]}
            - {kind: Match, intent: {type: Team, parameters: {team: {enum: b}}}, window: [149, 200]}
    - name: coffee
      from: 2021-06-07T00:00
      intentTypes:
        - {type: Order, parameters: {item: object, with: [object], when: date}, combinations: [[item, when], [when]]}
        - {type: Pay, parameters: {card: object, sum: double}, combinations: [[card], [card, sum]]}
      donations:
        - {at: 480, type: Order, parameters: {item: {object: latte, display: Latte}, when: {date: 480}}}
        - {at: 481, type: Pay, parameters: {card: {object: 7, display: 1.5}, note: "1.5", at: {place: [1, 2]}}}
    """

  @Test("L S7 D2 Sets of shortcuts and intents, intent types and donations are linted, each set separately")
  func sets() async throws {
    let json = try await lint("a.yaml", Self.sets, "--json")
    #expect(json.status == 1 && json.errors.isEmpty, "\(json.errors)")
    func finding(_ name: String, _ subject: String, _ set: Int, _ code: String, _ item: Int?) -> Report.Finding {
      Report.Finding(case: name, subject: "\(subject)", set: set, code: code, item: item)
    }
    let (shortcuts, intents) = ("relevant_shortcuts", "relevant_intents")
    #expect(
      try report(json)
        == Report(
          case_count: 4, timeline_count: 0, set_count: 8,
          findings: [
            finding("cards", shortcuts, 0, "only-watch-face", 1),
            finding("cards", shortcuts, 0, "display-string-parameter", 0),
            finding("cards", shortcuts, 1, "date-and-routine", 0),
            finding("cards", shortcuts, 1, "windows-overlap", 0),
            finding("cards", shortcuts, 1, "window-too-short", 0),
            finding("radio", intents, 0, "window-over", 2),
            finding("matches", intents, 0, "windows-overlap", 1),
            finding("coffee", "intent_types", 0, "date-in-every-combination", 0),
            finding("coffee", "donations", 0, "display-string-parameter", 1),
            finding("coffee", "donations", 0, "combination-never-satisfied", nil),
          ]))
    #expect(json.output.contains("\"only watch-face providers but a widget kind\""))
    let lines = try await lint("a.yaml", Self.sets).output.split(separator: "\n")
    #expect(lines.count == 10)
    #expect(lines[0].hasPrefix("cards: shortcut set 0: shortcut 1 names a widget kind"))
    #expect(lines[6].hasPrefix("matches: windows of intent 1 and of others"))
  }

  @Test("An unknown key is ignored with a note, and a misspelled key is rejected")
  func unknownKeys() async throws {
    let text = "from: 2024-03-08T00:00\nweather: fine\nthen: [{at: 1, entries: [], weather: fine}]\n"
    let passed = try await lint("a.yaml", text)
    #expect(passed.status == 0 && passed.output == "No findings.\n")
    #expect(passed.errors.contains("line 2: unknown key weather ignored"), "\(passed.errors)")
    #expect(passed.errors.split(separator: "\n").count == 1)
    let slip = try await lint("a.yaml", "from: 2024-03-08T00:00\nentires: []\n")
    #expect(slip.status == 64)
    #expect(slip.errors.contains("line 2, column 1: entires: unknown key; did you mean entries?"), "\(slip.errors)")
  }

  @Test("A file without findings ends with status 0 and a line that says so, or an empty list in JSON")
  func clean() async throws {
    let entries = "[[0, 1, 3600], [60, 0], [90, nil, nil, 100]]"
    let text = "{from: 2024-03-08T00:00, entries: \(entries), policy: {after: 600}}"
    let outcome = try await lint("a.yaml", text)
    #expect(outcome.status == 0 && outcome.output == "No findings.\n" && outcome.errors.isEmpty)
    let json = try await lint("a.yaml", text, "--json")
    #expect(json.status == 0)
    #expect(try report(json) == Report(case_count: 1, timeline_count: 1, findings: []))
  }

  @Test("L The rows of a table are linted in order")
  func csv() async throws {
    let rows = "date,score,duration\n2026-03-02T09:00,1,60\n2026-03-02T08:00,1,1800\n2026-03-02T10:00,0,\n"
    let outcome = try await lint("a.csv", rows, "--json", "--time-zone", "Europe/Berlin")
    #expect(outcome.status == 1)
    let findings = try report(outcome).findings
    #expect(findings.map(\.code) == ["entries-unsorted", "window-too-short"])
    #expect(findings.map(\.entry) == [1, 0])
    #expect(findings.allSatisfy { $0.case.hasSuffix("a.csv") })
  }

  @Test("L The findings about a table have their line and column, and the order of a calendar's entries")
  func places() async throws {
    let rows = "date,score,duration\n2026-03-02T09:00,1,60\n2026-03-02T08:00,1,1800\n"
    let outcome = try await lint("a.csv", rows, "--json", "--time-zone", "Europe/Berlin")
    let findings = try JSONDecoder().decode(Places.self, from: Data(outcome.output.utf8)).findings
    #expect(findings.map(\.line) == [3, 2] && findings.allSatisfy { $0.column == 1 }, "\(outcome.output)")
  }

  private struct Places: Decodable {
    struct Finding: Decodable {
      let line: Int
      let column: Int
    }

    let findings: [Finding]
  }

  @Test("L A calendar feed's timeline has no findings")
  func calendar() async throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../Sources/MarqueeCLI/Demo/WorkingWeek.ics").standardized
    let outcome = try await Binary.run(
      ["lint", file.path, "--from", "2026-03-02", "--days", "30", "--json", "--time-zone", "Europe/Berlin"])
    #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
    #expect(try report(outcome).timeline_count == 1)
  }

  @Test(
    "An invalid file ends with status 64 and a message with the line and the reason",
    arguments: [
      ("a.yaml", "", "line 1: the file has no case"),
      (
        "a.yaml", "from: 2024-03-08T00:00\nentries: [[0, 1, 0],\n  [1, x, 0]]",
        "line 3, column 7: entries[1][1]: expected a finite number"
      ),
      (
        "a.yaml", "from: 2024-03-08T00:00\nentries: [[0, 1, -5]]",
        "column 11: entries[0]: duration_ms: -5 s is negative"
      ),
      (
        "a.yaml", "from: 2024-03-08T00:00\nentries: [[0, .nan, 0]]",
        "line 2, column 15: entries[0][1]: expected a finite number"
      ),
      ("a.yaml", "from: 2024-03-08T00:00\nentries: [[0]]", "line 2, column 11: entries[0]: 1 fields"),
      (
        "a.yaml", "from: 2024-03-08T00:00\nentries: [[0, nil, 5, 90]]",
        "column 20: entries[0][2]: an entry without a score has no duration: expected nil"
      ),
      (
        "a.yaml", "from: 2024-03-08T00:00\nentries: [[0, 1, 1e300]]",
        "column 18: entries[0][2]: invalid duration: 1e+300 s"
      ),
      (
        "a.yaml", "from: 2024-03-08T00:00\nentries: [[1e99, 1, 0]]",
        "column 12: entries[0][0]: 1e+99 minutes: out of range"
      ),
      ("a.yaml", "from: someday\nentries: []", "line 1, column 7: from: not a date and time"),
      ("a.yaml", "from: 2024-03-08T00:00\nentries: []\npolicy: often", "line 3, column 9: policy: a policy must be"),
      (
        "a.yaml", "from: 2024-03-08T00:00\nentries: []\nthen: [{at: -1, entries: []}]",
        "line 3, column 13: then[0].at: the publication precedes"
      ),
      (
        "a.yaml", "from: 2024-03-08T00:00\nentries: []\nthen:\n- {at: 1}",
        "line 4, column 3: then[0]: a later publication"
      ),
      ("a.yaml", "name: a\n", "line 1: no case has entries"),
      (
        "a.yaml", "from: 2024-03-08T00:00\nshortcuts:\n- {windows: [[2, 1]]}",
        "line 3, column 14: shortcuts[0].windows[0]: end: end precedes the start by 1 min"
      ),
      (
        "a.yaml", "from: 2024-03-08T00:00\nrelevantShortcuts: []\nshortcuts: []",
        "line 3, column 12: shortcuts: duplicate key"
      ),
      ("a.yaml", "from: 2024-03-08T00:00\nthen: [{at: 1, entries: [[x]]}]", "column 26: then[0].entries[0]: 1 fields"),
      ("a.yaml", "from: 2024-03-08T00:00\nshortcuts:\n- {role: x}", "shortcuts[0].role: a role must be action or"),
      (
        "a.yaml", "from: 2024-03-08T00:00\nshortcuts:\n- {providers: [gin]}",
        "shortcuts[0].providers[0]: a provider must be"
      ),
      (
        "a.yaml", "from: 2024-03-08T00:00\nshortcuts:\n- {window: [1]}",
        "line 3, column 4: shortcuts[0].window: unknown key"
      ),
      (
        "a.yaml", "from: 2024-03-08T00:00\nrelevantIntents:\n- {at: 5}\n- {at: 4}",
        "line 4, column 8: relevantIntents[1].at: the set precedes"
      ),
      (
        "a.yaml", "from: 2024-03-08T00:00\nrelevantIntents:\n- {at: 5}\n- {}",
        "line 4, column 3: relevantIntents[1]: the set has no key at"
      ),
      (
        "a.yaml", "from: 2024-03-08T00:00\nrelevantIntents:\n- {windows: [[1, 2, 3]]}",
        "relevantIntents[0].windows[0]: 3 fields; a window"
      ),
      (
        "a.yaml", "from: 2024-03-08T00:00\nrelevantIntents:\n- [1, 2]",
        "line 3, column 3: relevantIntents[0]: a set must be a"
      ),
      (
        "a.yaml", "from: 2024-03-08T00:00\nshortcuts:\n- {at: 1, shortcuts: [5]}",
        "shortcuts[0].shortcuts[0]: a shortcut must be a"
      ),
      (
        "a.yaml", "from: 2024-03-08T00:00\nintentTypes:\n- {type: A, combinations: [[b]]}",
        "intentTypes[0]: combinations[0]"
      ),
      (
        "a.yaml", "from: 2024-03-08T00:00\nintentTypes:\n- {type: A, parameters: {b: c}}",
        "intentTypes[0].parameters.b: the type of a"
      ),
      (
        "a.yaml", "from: 2024-03-08T00:00\ndonations:\n- {parameters: {}}",
        "line 3, column 3: donations[0]: an intent must have"
      ),
      ("a.yaml", "- 7\n", "line 1, column 3: [0]: a case must be a mapping"),
      ("a.yaml", "a: [1,\nb: {", "line 3, column 1: invalid YAML: "),
      ("a.yaml", "entries: []\nentries: []", "line 1, column 1: duplicate key entries"),
      ("a.csv", "date,score\nsoon,1\n", "line 2, column 1: date"),
      ("a.ics", "BEGIN:VEVENT\n", "the component VEVENT has no END"), ("a.txt", "", "unsupported file extension"),
    ])
  func wrongFiles(name: String, content: String, message: String) async throws {
    let outcome = try await lint(name, content)
    #expect(outcome.status == 64 && outcome.output.isEmpty)
    #expect(outcome.errors.contains(message), "\(outcome.errors)")
  }

  @Test("A missing file ends with status 64", arguments: ["yaml", "csv", "ics"])
  func missing(ending: String) async throws {
    let outcome = try await Binary.run(["lint", "/nowhere.\(ending)"])
    #expect(outcome.status == 64 && outcome.errors.contains("/nowhere.\(ending): the file cannot be opened"))
  }
}
