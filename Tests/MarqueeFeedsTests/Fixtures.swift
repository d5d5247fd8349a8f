import Foundation
import MarqueeFeeds
import Testing

/// The calendars of the tests and their expected expansions.
enum Fixtures {
  static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Fixtures")
  static let root = folder.deletingLastPathComponent().deletingLastPathComponent()

  /// The span that `expected.json` covers: 2019-01-01 to 2024-01-01 in UTC.
  static let span = (start: CalendarTime(utcSeconds: 1_546_300_800), end: CalendarTime(utcSeconds: 1_704_067_200))

  /// The calendars in a folder, by path.
  static func calendars(in folder: URL) throws -> [URL] {
    try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
      .filter { $0.pathExtension == "ics" }.sorted { $0.path < $1.path }
  }

  /// The expansion of a file over ``span``, formatted and sorted as by the reference script.
  static func expansion(of file: URL) throws -> [[String]] {
    try CalendarFile(path: file.path).occurrences(from: span.start, to: span.end)
      .map { [$0.start.description, $0.end.description, $0.summary] }.sortedByScalars
  }

  /// A calendar around some lines of content.
  static func calendar(_ lines: String...) -> [UInt8] {
    Array((["BEGIN:VCALENDAR"] + lines + ["END:VCALENDAR", ""]).joined(separator: "\r\n").utf8)
  }

  /// A calendar with one event.
  static func event(_ lines: String...) -> [UInt8] {
    calendar((["BEGIN:VEVENT", "UID:1"] + lines + ["END:VEVENT"]).joined(separator: "\r\n"))
  }
}

extension [[String]] {
  /// In the order of Unicode scalars, which is Python's.
  var sortedByScalars: [[String]] {
    sorted { left, right in
      zip(left, right).first { $0 != $1 }.map { $0.unicodeScalars.lexicographicallyPrecedes($1.unicodeScalars) }
        ?? false
    }
  }
}
