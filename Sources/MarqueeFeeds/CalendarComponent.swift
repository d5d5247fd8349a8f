/// A calendar component parsed by libical: its properties and nested components.
struct CalendarComponent: Sendable {
  /// `VCALENDAR`, `VEVENT`, `VTIMEZONE`, …; `X` for a component that RFC 5545 does not define.
  let name: String
  let properties: [CalendarProperty]
  let components: [CalendarComponent]
  /// The line of its first well-formed property or component, counted from 1.
  let line: Int

  /// - Parameter components: In any order; libical puts time zones first.
  init(name: String, properties: [CalendarProperty], components: [CalendarComponent]) {
    (self.name, self.properties) = (name, properties)
    self.components = components.sorted { $0.line < $1.line }
    let lines = properties.compactMap { $0.isMalformed ? nil : $0.line }
    line = (lines + components.map(\.line)).min() ?? .max
  }

  /// Returns all properties with that name, in the order of the file.
  func all(_ name: String) -> [CalendarProperty] {
    properties.filter { $0.name == name }
  }

  /// Returns the property with that name, or `nil` if there is none.
  ///
  /// - Throws: ``FeedError`` if the property occurs twice or its value is malformed.
  func single(_ name: String) throws(FeedError) -> CalendarProperty? {
    let found = all(name)
    guard let property = found.first else { return nil }
    guard found.count == 1 else {
      throw FeedError(.badValue, "the property occurs \(found.count) times", property: name, line: found[1].line)
    }
    guard !property.isMalformed else { throw property.malformed() }
    return property
  }

  /// Validates the times outside of events, which are otherwise unused.
  ///
  /// - Throws: ``FeedError`` for the first value that is neither a time nor a duration.
  func checkTimes() throws(FeedError) {
    let names: Set = ["DTSTART", "DTEND", "DUE", "DURATION", "TRIGGER", "COMPLETED", "CREATED", "DTSTAMP"]
    for property in properties where name != "VEVENT" && property.isMalformed && names.contains(property.name) {
      let isReadable = CalendarTime(iCalendarText: property.value) != nil || TimeReader.duration(property.value) != nil
      guard isReadable else { throw property.malformed() }
    }
    for component in components { try component.checkTimes() }
  }

  /// Returns this component and all nested ones with that name, outer before inner.
  func walk(_ name: String) -> [CalendarComponent] {
    components.reduce(into: self.name == name ? [self] : []) { $0 += $1.walk(name) }
  }
}

/// A property of a component. libical splits a list of values into one property per value.
struct CalendarProperty: Hashable, Sendable {
  let name: String
  /// The value; TEXT values are unescaped.
  let value: String
  /// The parameters by upper-case name, without quotes.
  let parameters: [String: String]
  /// The first line of the property, counted from 1; approximate for a malformed one.
  let line: Int?
  /// Whether libical rejected the value.
  var isMalformed = false

  /// Returns the error for a malformed value.
  func malformed() -> FeedError {
    FeedError(.badValue, "malformed or impossible value", property: name, line: line)
  }
}
