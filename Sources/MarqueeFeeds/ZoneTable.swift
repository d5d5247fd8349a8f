/// The time zones for the TZIDs of one file.
///
/// A name in the time zone database takes precedence over a definition in the file. Otherwise the file's VTIMEZONE is
/// used, then the Windows zone names, then the suffix of a global name such as `/example.org/Europe/Berlin`. Times with
/// any other TZID are floating.
struct ZoneTable: Sendable {
  static let zoneCountMax = 1000
  /// The maximum number of onsets of all definitions up to 2100; a zone with two parts has about 260.
  static let onsetCountMax = 10_000
  /// The maximum number of parts in the suffix of a global name. Names in the database have at most three.
  static let suffixPartCountMax = 3

  /// The properties whose TZID parameters are considered.
  static let properties: Set<String> = ["DTSTART", "DTEND", "RECURRENCE-ID", "DUE", "RDATE", "EXDATE"]

  private var zones: [String: CalendarZone] = [:]
  private var onsetCount = 0

  /// Reads the components in the order of the file, since the first use or definition of a name determines its meaning.
  init(_ components: [CalendarComponent]) throws(FeedError) {
    for component in components { try read(component) }
  }

  /// Returns the zone for a TZID, or `nil`.
  func zone(_ tzid: String) -> CalendarZone? {
    zones[Self.candidates(tzid)[0]]
  }

  /// Returns the zone for a name that is not a TZID of the file, such as that of X-WR-TIMEZONE, by the same rules; or
  /// `nil`.
  func knownZone(named name: String) -> CalendarZone? {
    Self.candidates(name).lazy.compactMap { zones[$0] ?? CalendarZone.named($0) }.first
  }

  private mutating func read(_ component: CalendarComponent) throws(FeedError) {
    for property in component.properties where Self.properties.contains(property.name) {
      if let tzid = property.parameters["TZID"] { resolve(tzid) }
    }
    for inner in component.components { try read(inner) }
    if component.name == "VTIMEZONE", let tzid = component.all("TZID").first { try define(tzid.value, by: component) }
  }

  private mutating func resolve(_ tzid: String) {
    let candidates = Self.candidates(tzid)
    guard zones[candidates[0]] == nil, zones.count < Self.zoneCountMax else { return }
    zones[candidates[0]] = knownZone(named: tzid)
  }

  private mutating func define(_ tzid: String, by component: CalendarComponent) throws(FeedError) {
    let name = Self.candidates(tzid)[0]
    guard CalendarZone.named(name) == nil, CalendarZone.named(tzid) == nil, zones[name] == nil else { return }
    guard zones.count < Self.zoneCountMax else {
      throw FeedError(.limitExceeded, "more than \(Self.zoneCountMax) time zones", property: "TZID")
    }
    let description = try ZoneDescription(name: name, component)
    onsetCount += description.onsetCount
    guard onsetCount <= Self.onsetCountMax else { throw Self.tooManyOnsets }
    zones[name] = CalendarZone(description)
  }

  fileprivate static var tooManyOnsets: FeedError {
    FeedError(.limitExceeded, "more than \(onsetCountMax) onsets of time zones", property: "VTIMEZONE")
  }

  /// Returns the possible meanings of a TZID, best first; the first is the key under which it is stored.
  private static func candidates(_ tzid: String) -> [String] {
    let parts = tzid.split(separator: "/", omittingEmptySubsequences: false)
    let isTrimmed: (Substring) -> Bool = { !$0.isEmpty }
    let first = parts.firstIndex(where: isTrimmed) ?? parts.endIndex
    let last = parts.lastIndex(where: isTrimmed).map { $0 + 1 } ?? first
    let core = parts[first..<last]
    let name = core.joined(separator: "/")
    var candidates = [name]
    if let iana = WindowsZoneNames.iana[name] { candidates.append(iana) }
    if tzid.hasPrefix("/") {
      candidates += core.indices.dropFirst().suffix(suffixPartCountMax).map { core[$0...].joined(separator: "/") }
    }
    return candidates + [tzid]
  }
}

extension ZoneDescription {
  /// Parses a VTIMEZONE.
  ///
  /// - Throws: ``FeedError`` if a part lacks its onset or an offset, or if there is no part.
  init(name: String, _ component: CalendarComponent) throws(FeedError) {
    let parts = component.components.filter { $0.name == "STANDARD" || $0.name == "DAYLIGHT" }
    guard (1...Self.observanceCountMax).contains(parts.count) else {
      throw FeedError(
        .badValue, "expected 1 to \(Self.observanceCountMax) parts, found \(parts.count)", property: "VTIMEZONE",
        line: component.line)
    }
    var observances: [Observance] = []
    var onsetCount = 0
    for part in parts {
      let observance = try Observance(part)
      onsetCount += observance.onsets.count
      guard onsetCount <= ZoneTable.onsetCountMax else { throw ZoneTable.tooManyOnsets }
      observances.append(observance)
    }
    self.init(name: name, observances: observances)
  }
}

extension ZoneDescription.Observance {
  fileprivate init(_ component: CalendarComponent) throws(FeedError) {
    let start = try Self.required("DTSTART", of: component)
    guard let first = CalendarTime(iCalendarText: start.value) else { throw start.malformed() }
    isDaylight = component.name == "DAYLIGHT"
    offsetFrom = try Self.offset(try Self.required("TZOFFSETFROM", of: component))
    offsetTo = try Self.offset(try Self.required("TZOFFSETTO", of: component))
    abbreviation = component.all("TZNAME").first?.value
    var rules: [RecurrenceRule] = []
    for property in component.all("RRULE") {
      do {
        rules.append(try RecurrenceRule(property.value))
      } catch {
        throw FeedError(error.code, error.message, property: "RRULE", line: property.line)
      }
    }
    var dates = [first.wall]
    for property in component.all("RDATE") where !property.value.isEmpty {
      guard let date = CalendarTime(iCalendarText: property.value) else { throw property.malformed() }
      dates.append(date.wall)
    }
    onsets = try Onsets(start: first.wall, dates: dates, rules: rules)
  }

  private static func required(_ name: String, of component: CalendarComponent) throws(FeedError) -> CalendarProperty {
    guard let property = try component.single(name) else {
      throw FeedError(
        .missing, "the \(component.name) part has no \(name)", property: name, line: component.line)
    }
    return property
  }

  /// Parses `+hhmm` or `+hhmmss`, in seconds.
  private static func offset(_ property: CalendarProperty) throws(FeedError) -> Int64 {
    let digits = property.value.drop { $0 == "+" || $0 == "-" }
    guard digits.count == 4 || digits.count == 6, let number = Int64(digits), property.value.count - digits.count <= 1
    else { throw property.malformed() }
    let parts = digits.count == 4 ? number * 100 : number
    let seconds = parts / 10000 * 3600 + parts / 100 % 100 * 60 + parts % 100
    guard seconds < CivilDate.secondsPerDay else { throw property.malformed() }
    return property.value.hasPrefix("-") ? -seconds : seconds
  }
}
