import MarqueeFeeds
import MarqueeModel

/// The bytes of a calendar or table, which give the places of findings and errors.
struct FeedText {
  private let lines: [ArraySlice<UInt8>]
  private let delimiter: UInt8

  init(_ bytes: [UInt8], _ format: SourceFormat) {
    lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
    delimiter = UInt8(ascii: format == .calendar ? ":" : ",")
  }

  /// Returns the place after delimiters of a line that are not in quotes: the value of a property after one, or a field
  /// of a table. With fewer delimiters, it is the start of the line.
  func place(line: Int?, afterDelimiters count: Int) -> SourcePlaces.Place {
    guard let line else { return SourcePlaces.Place() }
    guard count > 0, lines.indices.contains(line - 1) else { return SourcePlaces.Place(line: line, column: 1) }
    var (isQuoted, left) = (false, count)
    let bytes = lines[line - 1]
    for index in bytes.indices {
      if bytes[index] == UInt8(ascii: "\"") { isQuoted.toggle() }
      guard bytes[index] == delimiter, !isQuoted else { continue }
      left -= 1
      guard left == 0 else { continue }
      let before = String(decoding: bytes[...index], as: UTF8.self).unicodeScalars
      return SourcePlaces.Place(line: line, column: before.count + 1)
    }
    return SourcePlaces.Place(line: line, column: 1)
  }

  /// Returns the error of a file with its place.
  func error(_ error: FeedError) -> ScenarioError {
    var delimiterCount = 0
    if let property = error.property {
      delimiterCount = delimiter == UInt8(ascii: ":") ? 1 : column(property)
    }
    let place = place(line: error.line, afterDelimiters: delimiterCount)
    return ScenarioError(line: place.line, column: place.column, field: error.property ?? "", error.message)
  }

  /// Returns the index of a table's column with that name, or 0 if there is none.
  private func column(_ name: String) -> Int {
    let header = lines.first { !$0.isEmpty } ?? []
    let names = String(decoding: header, as: UTF8.self).lowercased().split(
      separator: ",", omittingEmptySubsequences: false)
    return names.firstIndex { $0.filter { !" \t\r\"".contains($0) } == name } ?? 0
  }
}
