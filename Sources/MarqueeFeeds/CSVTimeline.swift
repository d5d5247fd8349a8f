import MarqueeModel

/// Reads a timeline from a CSV file (RFC 4180) with the columns `date`, `score` and, if there is one, `duration`.
///
/// See <doc:CSV> for the format.
public enum CSVTimeline {
  /// Bytes in a file.
  public static let fileSizeMax = 4 << 20
  /// Rows after the header, as many entries as a device takes by default.
  public static let rowCountMax = 4096
  /// Columns in a row.
  public static let columnCountMax = 256

  /// The timeline of the file at that path.
  ///
  /// - Throws: ``FeedError`` when the file cannot be read, or as ``timeline(bytes:zone:policy:)``.
  public static func timeline(
    path: String, zone: CalendarZone, policy: TimelineReloadPolicy = .never
  ) throws(FeedError) -> Timeline {
    try timeline(bytes: try FeedFile.bytes(path: path, sizeMax: fileSizeMax), zone: zone, policy: policy)
  }

  /// The timeline of a file's bytes.
  ///
  /// - Parameters:
  ///   - zone: The zone of dates that have no offset from UTC.
  ///   - policy: When to ask for the next timeline.
  /// - Throws: ``FeedError``, with line and column, when a column is missing, a value is not one, or a limit is passed.
  public static func timeline(
    bytes: [UInt8], zone: CalendarZone, policy: TimelineReloadPolicy = .never
  ) throws(FeedError) -> Timeline {
    Timeline(submitted: try entries(bytes: bytes, zone: zone), policy: policy)
  }

  /// The entries of the file at that path, in the order of its rows.
  ///
  /// - Throws: ``FeedError`` when the file cannot be read, or as ``timeline(bytes:zone:policy:)``.
  public static func entries(path: String, zone: CalendarZone) throws(FeedError) -> [TimelineEntry] {
    try entries(bytes: try FeedFile.bytes(path: path, sizeMax: fileSizeMax), zone: zone)
  }

  private static func entries(bytes: [UInt8], zone: CalendarZone) throws(FeedError) -> [TimelineEntry] {
    guard bytes.count <= fileSizeMax else {
      throw FeedError(.limitExceeded, "a file of \(bytes.count) bytes, at most \(fileSizeMax)")
    }
    var reader = CSVReader(bytes)
    guard let header = try reader.row() else { throw FeedError(.missing, "there is no header row", line: 1) }
    let columns = try Columns(header)
    var entries: [TimelineEntry] = []
    while let row = try reader.row() {
      guard entries.count < rowCountMax else {
        throw FeedError(.limitExceeded, "more than \(rowCountMax) rows", line: row.line)
      }
      entries.append(try entry(row, columns, zone))
    }
    return entries
  }

  /// Where the columns are.
  private struct Columns {
    let date: Int
    let score: Int
    let duration: Int?
    let count: Int

    init(_ header: CSVReader.Row) throws(FeedError) {
      let names = header.fields.map { $0.trimmed.lowercased() }
      func column(_ name: String) throws(FeedError) -> Int? {
        let found = names.indices.filter { names[$0] == name }
        guard found.count <= 1 else {
          throw FeedError(.badValue, "there are \(found.count) such columns", property: name, line: header.line)
        }
        return found.first
      }
      guard let date = try column("date"), let score = try column("score") else {
        throw FeedError(.missing, "the header needs the columns date and score", line: header.line)
      }
      (self.date, self.score, duration, count) = (date, score, try column("duration"), names.count)
    }
  }

  private static func entry(
    _ row: CSVReader.Row, _ columns: Columns, _ zone: CalendarZone
  ) throws(FeedError) -> TimelineEntry {
    guard row.fields.count == columns.count else {
      throw FeedError(.badValue, "\(row.fields.count) fields, the header has \(columns.count)", line: row.line)
    }
    guard let date = ISODate.instant(row.fields[columns.date].trimmed, zone: zone) else {
      throw FeedError(.badValue, "not an ISO 8601 date of the years 1970 to 9999", property: "date", line: row.line)
    }
    let score = try number(row, columns.score, "score")
    let seconds = try columns.duration.flatMap { index throws(FeedError) in try number(row, index, "duration") } ?? 0
    guard let duration = TimeSpan(seconds: seconds), duration >= .zero else {
      throw FeedError(.badValue, "\(seconds) s is not a duration", property: "duration", line: row.line)
    }
    guard let score else { return TimelineEntry(date: date) }
    do throws(Refusal) {
      return TimelineEntry(date: date, relevance: try TimelineEntryRelevance(score: score, duration: duration))
    } catch {
      throw FeedError(.badValue, error.reason, property: error.field, line: row.line)
    }
  }

  /// A finite number, or `nil` for an empty field.
  private static func number(_ row: CSVReader.Row, _ index: Int, _ name: String) throws(FeedError) -> Double? {
    let text = row.fields[index].trimmed
    if text.isEmpty { return nil }
    guard let number = Double(text), number.isFinite else {
      throw FeedError(.badValue, "not a finite number", property: name, line: row.line)
    }
    return number
  }
}
