import Foundation
import MarqueeFeeds
import MarqueeModel
import Testing

@Suite struct CSVTimelineTests {
  private func timeline(_ text: String, zone: CalendarZone = .utc) throws(FeedError) -> Timeline {
    try CSVTimeline.timeline(bytes: Array(text.utf8), zone: zone)
  }

  @Test("The entries of unsorted rows are sent in the order of the rows, which is a finding of the server")
  func order() throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "order-\(UUID().uuidString).csv")
    defer { try? FileManager.default.removeItem(at: path) }  // a file of this test, which need not exist
    try Data("date,score\n2021-06-07T09:00,1\n2021-06-07T08:00,2\n".utf8).write(to: path)
    let submitted = try CSVTimeline.submitted(path: path.path, zone: .utc)
    #expect(submitted.entries.map(\.relevance?.score) == [1, 2])
    #expect(submitted.timeline.entries.map(\.relevance?.score) == [2, 1])
  }

  private func failure(_ text: String) -> FeedError? {
    do throws(FeedError) {
      _ = try timeline(text)
      return nil
    } catch {
      return error
    }
  }

  @Test("A table in another encoding than UTF-8 is rejected at its line, quoted or not", arguments: ["", "\""])
  func encoding(quote: String) {
    let line = Array("2021-06-07T09:00,1,\(quote)B".utf8) + [0xE4] + Array("ckerei\(quote)\n".utf8)
    let error = #expect(throws: FeedError.self) {
      try CSVTimeline.timeline(bytes: Array("date,score,title\n".utf8) + line, zone: .utc)
    }
    #expect(error?.code == .badValue && error?.line == 2 && error?.description.contains("UTF-8") == true)
  }

  @Test("Columns can be in any order, with additional ones, quoted or not")
  func columns() throws {
    let text =
      "note,Score,\"date\",duration\r\n\"a \"\"b\"\",\nc\",0.5,2026-03-02T10:00:00Z,90\r\nx,,2026-03-02T11:00Z,\r\n"
    let timeline = try timeline(text)
    #expect(timeline.entries.map(\.date.milliseconds) == [1_772_445_600_000, 1_772_449_200_000])
    #expect(timeline.entries[0].relevance == (try TimelineEntryRelevance(score: 0.5, duration: .seconds(90))))
    #expect(timeline.entries[1].relevance == nil)
    #expect(timeline.policy == .never)
  }

  @Test("A date without an offset is in the given zone; the duration column may be missing")
  func zone() throws {
    let berlin = try #require(CalendarZone.named("Europe/Berlin"))
    let text = "date,score\n2026-07-01,1\n2026-07-01 10:00,2\n2026-07-01T10:00:00.25+05:30,3\n2026-07-01T10:00-0130,-4"
    let timeline = try timeline(text, zone: berlin)
    #expect(
      timeline.entries.map(\.date.milliseconds) == [
        1_782_856_800_000, 1_782_880_200_250, 1_782_892_800_000, 1_782_905_400_000,
      ])
    #expect(timeline.entries.map(\.relevance?.score) == [1, 3, 2, -4])
    #expect(timeline.entries.allSatisfy { $0.relevance?.duration == .zero })
  }

  @Test("Errors name line and column")
  func errors() {
    let header = "date,score,duration\n"
    let cases: [(String, FeedError.Code, String?, Int?)] = [
      ("", .missing, nil, 1),
      ("date,duration\n", .missing, nil, 1),
      ("date,score,date\n", .badValue, "date", 1),
      (header + "\n2026-02-30,1,1\n", .badValue, "date", 3),
      (header + "2026-02-03T10:61Z,1,1\n", .badValue, "date", 2),
      (header + "1969-02-03T10:00Z,1,1\n", .badValue, "date", 2),
      (header + "2026-02-03,high,1\n", .badValue, "score", 2),
      (header + "2026-02-03,nan,1\n", .badValue, "score", 2),
      (header + "2026-02-03,1,-1\n", .badValue, "duration", 2),
      (header + "2026-02-03,1,1e300\n", .badValue, "duration", 2),
      (header + "2026-02-03,1\n", .badValue, nil, 2),
      (header + "2026-02-03,\"1\n", .badValue, nil, 2),
      (header + "\"2026-02-03\"x,1,\n", .badValue, nil, 2),
    ]
    for (text, code, property, line) in cases {
      let error = failure(text)
      #expect(error?.code == code, "\(text)")
      #expect(error?.property == property, "\(text)")
      #expect(error?.line == line, "\(text)")
    }
    #expect(failure(header + "2026-02-03,1,30m\n")?.description.contains("not a finite number of seconds") == true)
  }

  @Test("Rows, columns and bytes have limits")
  func limits() {
    let rows = String(repeating: "2026-02-03,1\n", count: CSVTimeline.rowCountMax + 1)
    #expect(failure("date,score\n" + rows)?.code == .limitExceeded)
    #expect(failure(String(repeating: ",", count: 300))?.code == .limitExceeded)
    #expect(failure(String(repeating: " ", count: CSVTimeline.fileSizeMax + 1))?.code == .limitExceeded)
  }
}
