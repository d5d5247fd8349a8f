import MarqueeCards
import MarqueeModel

/// Reads a timeline from a CSV file (RFC 4180) with the columns `date`, `score` and optionally `duration`.
///
/// See <doc:CSV> for the format.
public enum CSVTimeline {
  /// The maximum size of a file, in bytes.
  public static let fileSizeMax = 4 << 20
  /// The maximum number of rows after the header, equal to a device's default limit of entries.
  public static let rowCountMax = 4096
  /// The maximum number of columns in a row.
  public static let columnCountMax = 256

  /// Returns the timeline of the file at `path`.
  ///
  /// - Throws: ``FeedError`` if the file cannot be read, or as ``timeline(bytes:zone:policy:sendsCards:)``.
  public static func timeline(
    path: String, zone: CalendarZone, policy: TimelineReloadPolicy = .never, sendsCards: Bool = false
  ) throws(FeedError) -> Timeline {
    let bytes = try FeedFile.bytes(path: path, sizeMax: fileSizeMax)
    return try timeline(bytes: bytes, zone: zone, policy: policy, sendsCards: sendsCards)
  }

  /// Returns the timeline of the file at `path`, with the entries in the order of its rows.
  ///
  /// - Throws: ``FeedError``, as ``timeline(path:zone:policy:sendsCards:)``.
  package static func submitted(
    path: String, zone: CalendarZone, sendsCards: Bool = false
  ) throws(FeedError) -> SubmittedTimeline {
    let bytes = try FeedFile.bytes(path: path, sizeMax: fileSizeMax)
    return SubmittedTimeline(try entries(bytes: bytes, zone: zone, sendsCards: sendsCards), policy: .never)
  }

  /// Returns the timeline in a file's bytes.
  ///
  /// - Parameters:
  ///   - zone: The time zone of dates without an offset from UTC.
  ///   - policy: When to request the next timeline.
  ///   - sendsCards: Whether the entries have cards, with the column `title` as heading and additional columns as
  ///     facts; otherwise, they have no content.
  /// - Throws: ``FeedError``, with line and column, for a missing column, an invalid value, or an exceeded limit.
  public static func timeline(
    bytes: [UInt8], zone: CalendarZone, policy: TimelineReloadPolicy = .never, sendsCards: Bool = false
  ) throws(FeedError) -> Timeline {
    Timeline(submitted: try entries(bytes: bytes, zone: zone, sendsCards: sendsCards), policy: policy)
  }

  private static func entries(
    bytes: [UInt8], zone: CalendarZone, sendsCards: Bool
  ) throws(FeedError) -> [TimelineEntry] {
    try rows(bytes: bytes, zone: zone, sendsCards: sendsCards).map(\.entry)
  }

  /// Returns the entries of a file in the order of its rows, each with the line of its row.
  ///
  /// - Throws: ``FeedError``, as ``timeline(bytes:zone:policy:sendsCards:)``.
  package static func rows(
    bytes: [UInt8], zone: CalendarZone, sendsCards: Bool = false
  ) throws(FeedError) -> [(entry: TimelineEntry, line: Int)] {
    guard bytes.count <= fileSizeMax else {
      throw FeedError(.limitExceeded, "the file is too large: \(bytes.count) bytes (maximum: \(fileSizeMax))")
    }
    var reader = CSVReader(bytes)
    guard let header = try reader.row() else { throw FeedError(.missing, "the header row is missing", line: 1) }
    let columns = try Columns(header)
    var entries: [(entry: TimelineEntry, line: Int)] = []
    while let row = try reader.row() {
      guard entries.count < rowCountMax else {
        throw FeedError(.limitExceeded, "more than \(rowCountMax) rows", line: row.line)
      }
      let content = sendsCards ? try card(row, columns) : .empty
      entries.append((try entry(row, columns, zone, content), row.line))
    }
    return entries
  }

  /// The indices of the columns.
  private struct Columns {
    let date: Int
    let score: Int
    let duration: Int?
    let title: Int?
    /// The names as in the header.
    let names: [String]
    var count: Int { names.count }

    init(_ header: CSVReader.Row) throws(FeedError) {
      let names = header.fields.map { $0.trimmed.lowercased() }
      func column(_ name: String) throws(FeedError) -> Int? {
        let found = names.indices.filter { names[$0] == name }
        guard found.count <= 1 else {
          throw FeedError(.badValue, "the column occurs \(found.count) times", property: name, line: header.line)
        }
        return found.first
      }
      guard let date = try column("date"), let score = try column("score") else {
        throw FeedError(
          .missing, "the header must have the columns date and score, separated by commas", line: header.line)
      }
      (self.date, self.score, duration) = (date, score, try column("duration"))
      // Additional columns may have any names, in any number.
      title = names.firstIndex(of: "title")
      self.names = header.fields.map(\.trimmed)
    }

    /// The additional columns other than the title.
    var facts: [Int] { names.indices.filter { ![date, score, duration, title].contains($0) } }
  }

  /// Returns the card of a row; no content if its fields are empty.
  private static func card(_ row: CSVReader.Row, _ columns: Columns) throws(FeedError) -> EntryContent {
    func field(_ index: Int) -> String { index < row.fields.count ? row.fields[index].trimmed : "" }
    let title = columns.title.map(field) ?? ""
    let facts = columns.facts.map { Card.Fact(title: columns.names[$0], value: field($0)) }
    guard !title.isEmpty || facts.contains(where: { !$0.value.isEmpty }) else { return .empty }
    do {
      return try FeedCard.content(title: title, facts: facts)
    } catch {
      throw FeedError(.limitExceeded, error.description, line: row.line)
    }
  }

  private static func entry(
    _ row: CSVReader.Row, _ columns: Columns, _ zone: CalendarZone, _ content: EntryContent
  ) throws(FeedError) -> TimelineEntry {
    guard row.fields.count == columns.count else {
      throw FeedError(
        .badValue, "expected \(columns.count) fields as in the header, found \(row.fields.count)", line: row.line)
    }
    guard let date = ISODate.instant(row.fields[columns.date].trimmed, zone: zone) else {
      throw FeedError(.badValue, "not an ISO 8601 date of the years 1970 to 9999", property: "date", line: row.line)
    }
    let score = try number(row, columns.score, "score", "number")
    let seconds =
      try columns.duration.flatMap { index throws(FeedError) in
        try number(row, index, "duration", "number of seconds")
      } ?? 0
    guard let duration = TimeSpan(seconds: seconds), duration >= .zero else {
      throw FeedError(.badValue, "invalid duration: \(seconds) s", property: "duration", line: row.line)
    }
    guard let score else { return TimelineEntry(date: date, content: content) }
    do throws(RequestError) {
      return TimelineEntry(
        date: date, relevance: try TimelineEntryRelevance(score: score, duration: duration), content: content)
    } catch {
      throw FeedError(.badValue, error.reason, property: error.field, line: row.line)
    }
  }

  /// Parses a finite number. Returns `nil` for an empty field.
  private static func number(
    _ row: CSVReader.Row, _ index: Int, _ name: String, _ kind: String
  ) throws(FeedError) -> Double? {
    let text = row.fields[index].trimmed
    if text.isEmpty { return nil }
    guard let number = Double(text), number.isFinite else {
      throw FeedError(.badValue, "not a finite \(kind)", property: name, line: row.line)
    }
    return number
  }
}
