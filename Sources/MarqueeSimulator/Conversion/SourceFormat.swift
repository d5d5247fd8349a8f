import MarqueeModel

/// The formats of texts that are checked and simulated.
package enum SourceFormat: Sendable {
  /// YAML: a scenario, or cases.
  case yaml
  /// A calendar (RFC 5545).
  case calendar
  /// A table (RFC 4180) with the columns `date` and `score`.
  case table

  /// Detects the format of a text.
  package init(of text: String) {
    let bytes = text.utf8.drop { [0xEF, 0xBB, 0xBF, 0x09, 0x0A, 0x0D, 0x20].contains($0) }
    let first = String(decoding: bytes.prefix(Self.firstLineSizeMax).prefix { $0 != 0x0A && $0 != 0x0D }, as: UTF8.self)
      .lowercased()
    if first.hasPrefix("begin:v") {
      self = .calendar
    } else {
      let columns = Set(first.split(separator: ",").map { $0.filter { !" \t\"".contains($0) } })
      self = columns.isSuperset(of: ["date", "score"]) ? .table : .yaml
    }
  }

  /// The name of the only case of a calendar or table.
  package var caseName: String { self == .calendar ? "Calendar" : "Table" }

  /// The part of the first line that is searched for columns, in bytes.
  private static let firstLineSizeMax = 4_096
}
