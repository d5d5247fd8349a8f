/// A time zone of a calendar: one of the system's database, or one that a file describes itself.
///
/// Two zones are equal if they are the same zone: the same name in the database, or the same description in a file.
public final class CalendarZone: Sendable {
  /// Coordinated Universal Time.
  public static let utc = CalendarZone(name: "UTC", source: .fixed(0))

  /// The name in the database, or the TZID of the file's own description.
  public let name: String
  private let source: Source

  private enum Source: Sendable {
    case fixed(Int64)
    case file(TimeZoneFile)
    case description(ZoneDescription)
  }

  private init(name: String, source: Source) {
    self.name = name
    self.source = source
  }

  /// The zone of that name in the system's database, `/usr/share/zoneinfo`, or `nil` when it has none.
  ///
  /// - Parameter name: An IANA name, such as `Europe/Berlin`.
  public static func named(_ name: String) -> CalendarZone? {
    if name == utc.name { return utc }
    return TimeZoneFile(name: name).map { CalendarZone(name: name, source: .file($0)) }
  }

  /// The zone that a file's VTIMEZONE describes.
  convenience init(_ description: ZoneDescription) {
    self.init(name: description.name, source: .description(description))
  }

  /// Seconds east of UTC at an instant, in seconds since 1970-01-01T00:00:00Z.
  public func offset(atInstant instant: Int64) -> Int64 {
    switch source {
    case .fixed(let offset): return offset
    case .file(let file): return file.offset(atInstant: instant)
    case .description(let description):
      let offset = description.offset(atWall: instant, isSecond: false)
      return description.offset(atWall: instant + offset, isSecond: false)
    }
  }

  /// Seconds east of UTC at a reading of the zone's clock, in seconds from 1970-01-01T00:00:00.
  ///
  /// A reading in a gap takes the offset from before it; of a reading that occurs twice, the second is meant if
  /// `isSecond`, else the first.
  public func offset(atWall wall: Int64, isSecond: Bool) -> Int64 {
    switch source {
    case .fixed(let offset): offset
    case .file(let file): file.offset(atWall: wall, isSecond: isSecond)
    case .description(let description): description.offset(atWall: wall, isSecond: isSecond)
    }
  }

  /// Whether times in this zone are in UTC, whatever the zone is called.
  func isUTC(atWall wall: Int64) -> Bool {
    switch source {
    case .fixed: true
    case .file(let file): file.isUTC
    case .description(let description): description.abbreviation(atWall: wall)?.uppercased() == "UTC"
    }
  }

  /// Whether the file that describes this zone gives its offset at that reading no name.
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
