import MarqueeTerminal
import Testing

@testable import MarqueeCLI

struct ProgressLineTests {
  private static func text(
    _ amount: ProgressLine.Amount, after elapsed: Duration = .seconds(4), columns: Int = 80,
    _ operation: String = "Reading"
  ) -> String {
    ProgressLine(operation: operation, amount: amount, elapsed: elapsed).text(columns: columns)
  }

  @Test("The line shows the operation, the progress with the total if known, and the elapsed time")
  func text() {
    #expect(Self.text(.unknown) == "Reading, 4 s")
    #expect(Self.text(.bytes(999, of: nil)) == "Reading: 999 B, 4 s")
    #expect(Self.text(.bytes(12_345_678, of: nil)) == "Reading: 12.3 MB, 4 s")
    #expect(Self.text(.bytes(500_000, of: 2_000_000_000)) == "Reading: 0 %, 500.0 kB of 2.0 GB, 4 s")
    #expect(Self.text(.count(3, of: nil, "events"), after: .seconds(64)) == "Reading: 3 events, 1 min 4 s")
    #expect(Self.text(.count(199, of: 200, "devices")) == "Reading: 99 %, 199 of 200 devices, 4 s")
    #expect(Self.text(.count(0, of: 0, "devices")) == "Reading: 100 %, 0 of 0 devices, 4 s")
    #expect(Self.text(.share(0.999)) == "Reading: 99 %, 4 s")
    #expect(Self.text(.share(.nan)) == "Reading, 4 s")
    #expect(Self.text(.share(7), after: .milliseconds(1_900)) == "Reading: 100 %, 1 s")
  }

  @Test("The line never exceeds the columns, and the numbers are omitted last")
  func width() {
    let amount = ProgressLine.Amount.count(12, of: 345, "devices")
    #expect(Self.text(amount, columns: 40, "Looking through a/long/path") == "Looking th…: 3 %, 12 of 345 devices, 4 s")
    #expect(Self.text(amount, columns: 20) == "3 %, 12 of 345 devi…")
    for columns in 0..<60 { #expect(Self.text(amount, columns: columns, "読む読む").columnCount <= columns) }
  }

  @Test("Names of files cannot control the terminal")
  func control() {
    #expect(Self.text(.unknown, "Reading a\u{1B}[2Jb\nc\u{202E}d") == "Reading a?[2Jb cd, 4 s")
  }

  @Test("Wide characters take two columns, combining marks none, and truncated text ends with an ellipsis")
  func columns() {
    #expect("naïve".columnCount == 5 && "e\u{301}".columnCount == 1)
    #expect("日本".columnCount == 4 && "👩‍👩‍👧".columnCount == 2)
    #expect("日本語".truncated(to: 5) == "日本…" && "日本語".truncated(to: 4) == "日…" && "日本語".truncated(to: 6) == "日本語")
    #expect("abc".fitted(to: 5) == "abc  " && "abc".fitted(to: 5, isRight: true) == "  abc")
    #expect("abcdef".fitted(to: 3) == "ab…" && "abc".fitted(to: 0) == "")
  }
}
