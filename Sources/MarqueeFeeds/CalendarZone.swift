import Foundation

/// A time zone of a calendar, from the time zone database or defined by a file.
///
/// Two zones are equal if they have the same database name, or the same definition in a file.
public final class CalendarZone: Sendable {
  /// Coordinated Universal Time.
  public static let utc = CalendarZone(name: "UTC", source: .utc)

  /// The database name, or the TZID of the file's definition.
  public let name: String
  private let source: Source

  private enum Source: Sendable {
    case utc
    case database(TimeZone)
    case description(ZoneDescription)
  }

  private init(name: String, source: Source) {
    self.name = name
    self.source = source
  }

  /// Returns the zone with that name in Foundation's time zone database, or `nil` if there is none.
  ///
  /// - Parameter name: An IANA name, such as `Europe/Berlin`.
  public static func named(_ name: String) -> CalendarZone? {
    if name == utc.name { return utc }
    return TimeZone(databaseName: name).map { CalendarZone(name: name, source: .database($0)) }
  }

  /// Creates the zone defined by a file's VTIMEZONE.
  convenience init(_ description: ZoneDescription) {
    self.init(name: description.name, source: .description(description))
  }

  /// Returns the offset east of UTC, in seconds, at an instant in seconds since 1970-01-01T00:00:00Z.
  public func offset(atInstant instant: Int64) -> Int64 {
    switch source {
    case .utc: return 0
    case .database(let zone): return zone.offset(atInstant: instant)
    case .description(let description):
      return description.offset(atInstant: instant)
    }
  }

  /// Returns the offset east of UTC, in seconds, at a local time in seconds from 1970-01-01T00:00:00.
  ///
  /// A local time in a gap uses the offset before it. Of an ambiguous local time, `isSecond` selects the second
  /// occurrence.
  public func offset(atWall wall: Int64, isSecond: Bool) -> Int64 {
    switch source {
    case .utc: 0
    case .database(let zone): zone.offset(atWall: wall, isSecond: isSecond)
    case .description(let description): description.offset(atWall: wall, isSecond: isSecond)
    }
  }

  /// Whether times in this zone are in UTC, under any name.
  func isUTC(atWall wall: Int64) -> Bool {
    switch source {
    case .utc: true
    case .database: TimeZone.utcNames.contains(name)
    case .description(let description): description.abbreviation(atWall: wall)?.uppercased() == "UTC"
    }
  }

  /// Whether the offset at that local time has no name in the file that defines this zone.
  func isNameless(atWall wall: Int64) -> Bool {
    if case .description(let description) = source { description.abbreviation(atWall: wall) == nil } else { false }
  }
}

extension CalendarZone: Hashable {
  public static func == (left: CalendarZone, right: CalendarZone) -> Bool {
    left === right || left.isOfDatabase && right.isOfDatabase && left.name == right.name
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(name)
  }

  private var isOfDatabase: Bool {
    if case .description = source { false } else { true }
  }
}
