import MarqueeEvaluation
import Testing

@Suite struct HabitLogTests {
  private func log(_ text: String) throws -> HabitLog { try HabitLog(bytes: Array(text.utf8)) }

  @Test("A log is read with or without its line of names, with Unix and Windows line ends, and with empty fields")
  func reading() throws {
    let plain = try log("p\t2024-02-29T23:59:59\topen\tmail\thome\np\t2024-03-01T00:00\tcall\n")
    let other = try log(
      "\u{FEFF}person\tlocal_time\taction\tparameter\tplace\r\np\t2024-02-29 23:59:59\topen\tmail\thome\r\n\r\n"
        + "p\t2024-03-01T00:00:00\tcall\t\t\r\n")
    #expect(plain == other)
    let uses = plain.people[0].uses
    #expect(uses.map(\.day) == [19_782, 19_783])
    #expect(uses.map(\.second) == [86_399, 0])
    #expect(uses.map(\.item) == [0, 1] && uses.map(\.action) == [0, 1])
    #expect(uses.map(\.place) == [0, nil])
    #expect(plain.people[0].items.map(\.action) == ["open", "call"])
    #expect(plain.people[0].items.map(\.parameter) == ["mail", ""] && plain.people[0].itemCount == 2)
  }

  @Test("Canonically equivalent names with different bytes are different names")
  func equivalentNames() throws {
    let (composed, apart) = ("K\u{FC}che", "Ku\u{308}che")
    let lines = [
      (composed, "a", "x", "h"), (apart, "a", "x", "h"), ("p", composed, "", composed), ("p", apart, "", apart),
      ("p", "b", composed, ""), ("p", "b", apart, ""),
    ]
    let log = try log(
      lines.enumerated().map { "\($1.0)\t2024-01-01T10:0\($0)\t\($1.1)\t\($1.2)\t\($1.3)\n" }.joined())
    #expect(log.people.count == 3 && log.people[2].itemCount == 4)
    #expect(log.people[2].uses.map(\.action) == [0, 1, 2, 2] && log.people[2].uses.map(\.place) == [0, 1, nil, nil])
  }

  @Test("People may be mixed and their lines out of order; lines of one time keep their order")
  func sorting() throws {
    let log = try log(
      """
      b\t2024-01-02T10:00\topen\tx
      a\t2024-01-01T10:00\topen\tx
      b\t2024-01-01T10:00\topen\ty
      b\t2024-01-01T10:00\topen\tz
      """)
    #expect(log.people.map(\.name) == ["b", "a"])
    #expect(log.people[0].uses.map(\.item) == [0, 1, 2])
    #expect(log.people[0].uses.map(\.time).max() == log.people[0].uses[2].time)
    #expect(log.useCount == 4)
  }

  @Test(
    "An invalid line is named by its number",
    arguments: [
      ("p\t2024-01-01T10:00\topen\n\np\tsoon\topen", 3, "a time such as"),
      ("p\t2024-13-01T10:00\topen", 1, "a time such as"), ("p\t2023-02-29T10:00\topen", 1, "a time such as"),
      ("p\t2024-01-01T24:00\topen", 1, "a time such as"), ("p\t2024-01-01T10:00:61\topen", 1, "a time such as"),
      ("p\t2024-01-01T10:00Z\topen", 1, "a time such as"), ("p\t2024-01-01T10:00", 1, "found 2"),
      ("p\t2024-01-01T10:00\topen\ta\tb\tc", 1, "found 6"), ("p\t2024-01-01T10:00\t\ta", 1, "the action is empty"),
      ("", nil, "no actions"), ("person\tlocal_time\taction\n", nil, "no actions"),
    ])
  func wrongLines(text: String, line: Int?, problem: String) throws {
    let error = #expect(throws: HabitLogError.self) { try log(text) }
    #expect(error?.line == line && error?.description.hasPrefix("line ") == (line != nil))
    #expect(error?.problem.contains(problem) == true, "\(String(describing: error))")
  }

  @Test("Invalid UTF-8 and overlong lines are rejected")
  func wrongBytes() {
    #expect(throws: HabitLogError.self) { try HabitLog(bytes: [0x70, 0x09, 0xFF, 0x09, 0x70]) }
    #expect(throws: HabitLogError.self) { try HabitLog(bytes: [UInt8](repeating: 0x70, count: 70_000)) }
  }
}
