/// A component of a calendar as libical parsed it: its properties and the components within it.
struct CalendarComponent: Sendable {
  /// `VCALENDAR`, `VEVENT`, `VTIMEZONE`, …; `X` for one that RFC 5545 does not know.
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

  /// All properties of that name, in the order of the file.
  func all(_ name: String) -> [CalendarProperty] {
    properties.filter { $0.name == name }
  }

  /// The property of that name, or `nil` when there is none.
  ///
  /// - Throws: ``FeedError`` when there are two, or when its value was malformed.
  func single(_ name: String) throws(FeedError) -> CalendarProperty? {
    let found = all(name)
    guard let property = found.first else { return nil }
    guard found.count == 1 else {
      throw FeedError(.badValue, "there are \(found.count) of them", property: name, line: found[1].line)
    }
    guard !property.isMalformed else { throw property.malformed() }
    return property
  }

  /// Checks that times outside of events can be read, though nothing is made of them.
  ///
  /// - Throws: ``FeedError`` for the first that is neither a time nor a duration.
  func checkTimes() throws(FeedError) {
    let names: Set = ["DTSTART", "DTEND", "DUE", "DURATION", "TRIGGER", "COMPLETED", "CREATED", "DTSTAMP"]
    for property in properties where name != "VEVENT" && property.isMalformed && names.contains(property.name) {
      let isReadable = CalendarTime(iCalendarText: property.value) != nil || TimeReader.duration(property.value) != nil
      guard isReadable else { throw property.malformed() }
    }
    for component in components { try component.checkTimes() }
  }

  /// This component and those within it that have that name, the outer before the inner.
  func walk(_ name: String) -> [CalendarComponent] {
    components.reduce(into: self.name == name ? [self] : []) { $0 += $1.walk(name) }
  }
}

/// A property of a component. Where libical splits a list of values, there is one property for each.
struct CalendarProperty: Hashable, Sendable {
  let name: String
  /// The value's text; TEXT values without their escapes.
  let value: String
  /// Parameters by upper-case name, without quotes.
  let parameters: [String: String]
  /// The line on which the property begins, counted from 1; for a malformed one as far as it can be told.
  let line: Int?
  /// Whether libical could not make sense of the value.
  var isMalformed = false

  /// The error that says so.
  func malformed() -> FeedError {
    FeedError(.badValue, "the value is malformed or does not exist", property: name, line: line)
  }
}
