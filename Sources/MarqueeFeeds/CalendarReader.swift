import CLibical

/// Reads the bytes of an iCalendar stream into components, with libical.
///
/// libical is given one content line at a time, with two changes that keep it from losing what it does not like:
/// each line carries its number in a parameter, so that errors can name it, and recurrence rules go through as
/// extension properties, since libical 3.0.16 drops rules that other programs write (COUNT beside UNTIL, a negative
/// COUNT, BYMONTHDAY=32) and normalises others.
struct CalendarReader {
  static let fileSizeMax = 16 << 20
  static let lineSizeMax = 1 << 20
  static let lineCountMax = 1_000_000
  static let depthMax = 16

  private static let lineParameter = "X-MARQUEE-LINE"
  private static let heldBack = ["RRULE": "X-MARQUEE-RRULE", "SUMMARY": "X-MARQUEE-SUMMARY"]

  private var lines: [ContentLine] = []
  private let parser: OpaquePointer

  /// The components at the top level of the stream, in order.
  ///
  /// - Throws: ``FeedError`` when a limit is exceeded, a line is not a content line, or no component is complete.
  static func components(of bytes: [UInt8]) throws(FeedError) -> [CalendarComponent] {
    guard bytes.count <= fileSizeMax else {
      throw FeedError(.limitExceeded, "a file of \(bytes.count) bytes, at most \(fileSizeMax)")
    }
    guard let parser = icalparser_new() else { throw FeedError(.unreadable, "libical has no memory for a parser") }
    defer { icalparser_free(parser) }
    var reader = CalendarReader(parser: parser)
    reader.lines = try ContentLine.unfolded(bytes)
    return try reader.components()
  }

  private init(parser: OpaquePointer) {
    self.parser = parser
    // A library that is compiled to abort on malformed input must not do so here.
    icalerror_set_errors_are_fatal(0)
  }

  private func components() throws(FeedError) -> [CalendarComponent] {
    var components: [CalendarComponent] = []
    var open: [String] = []
    for line in lines {
      let name = line.name.uppercased()
      if name == "BEGIN" {
        open.append(line.value.uppercased())
        guard open.count <= Self.depthMax else {
          throw FeedError(.limitExceeded, "\(open.count) nested components, at most \(Self.depthMax)", line: line.number)
        }
      } else if name == "END" {
        guard open.popLast() != nil else {
          throw FeedError(.notACalendar, "END without a BEGIN", line: line.number)
        }
      } else {
        guard try isReadable(line, within: open.last) else { continue }
      }
      guard let component = add(line) else { continue }
      defer { icalcomponent_free(component) }
      components.append(read(component))
    }
    guard !components.isEmpty else {
      throw FeedError(.notACalendar, open.isEmpty ? "there is no component" : "the component \(open[0]) has no END")
    }
    return components
  }

  /// Whether a line belongs to a component; events alone may hold lines that are not content lines.
  private func isReadable(_ line: ContentLine, within component: String?) throws(FeedError) -> Bool {
    guard let component else {
      if line.name.uppercased() == "X-COMMENT" { return false }
      throw FeedError(.notACalendar, "a line outside of any component", line: line.number)
    }
    if line.isWellFormed { return true }
    guard component == "VEVENT" else {
      throw FeedError(.badValue, "not a content line: a name, a colon and a value", line: line.number)
    }
    return false
  }

  /// Gives libical a line; a component once the line ends one at the top level.
  private func add(_ line: ContentLine) -> OpaquePointer? {
    var text = line.text
    if line.name.uppercased() != "BEGIN" && line.name.uppercased() != "END" {
      let name = Self.heldBack[line.name.uppercased()] ?? line.name
      text = "\(name);\(Self.lineParameter)=\(line.number)" + line.afterName
    }
    return text.withCString { pointer in
      // The parser does not write to the line; its signature is older than const.
      icalparser_add_line(parser, UnsafeMutablePointer(mutating: pointer))
    }
  }

  private func read(_ component: OpaquePointer) -> CalendarComponent {
    var properties: [CalendarProperty] = []
    var next = icalcomponent_get_first_property(component, ICAL_ANY_PROPERTY)
    while let property = next {
      if let read = icalproperty_isa(property) == ICAL_XLICERROR_PROPERTY ? fault(property) : read(property: property) {
        properties.append(read)
      }
      next = icalcomponent_get_next_property(component, ICAL_ANY_PROPERTY)
    }
    var components: [CalendarComponent] = []
    var child = icalcomponent_get_first_component(component, ICAL_ANY_COMPONENT)
    while let inner = child {
      components.append(read(inner))
      child = icalcomponent_get_next_component(component, ICAL_ANY_COMPONENT)
    }
    let name = icalcomponent_kind_to_string(icalcomponent_isa(component)).map { String(cString: $0) } ?? "X"
    return CalendarComponent(name: name, properties: properties, components: components)
  }

  private func read(property: OpaquePointer) -> CalendarProperty? {
    guard let name = Self.take(icalproperty_get_property_name_r(property)) else { return nil }
    var parameters: [String: String] = [:]
    var next = icalproperty_get_first_parameter(property, ICAL_ANY_PARAMETER)
    while let parameter = next {
      if let text = Self.take(icalparameter_as_ical_string_r(parameter)), let equals = text.firstIndex(of: "=") {
        let value = text[text.index(after: equals)...]
        parameters[text[..<equals].uppercased()] = value.filter { $0 != "\"" }
      }
      next = icalproperty_get_next_parameter(property, ICAL_ANY_PARAMETER)
    }
    let number = parameters.removeValue(forKey: Self.lineParameter).flatMap { Int($0) } ?? 0
    if let original = Self.heldBack.first(where: { $0.value == name.uppercased() })?.key, let line = line(number) {
      let value = original == "SUMMARY" ? line.value.withoutEscapes : line.value
      return CalendarProperty(name: original, value: value, parameters: parameters, line: number)
    }
    let value = Self.take(icalproperty_get_value_as_string_r(property)) ?? ""
    return CalendarProperty(name: name.uppercased(), value: value, parameters: parameters, line: number)
  }

  /// The property that libical put an error in the place of, when the error is about its value.
  private func fault(_ error: OpaquePointer) -> CalendarProperty? {
    guard let message = icalproperty_get_value(error).flatMap({ icalvalue_get_text($0) }).map({ String(cString: $0) }),
      message.hasPrefix("Can't parse as ") || message.hasPrefix("No value for "),
      let name = message.split(separator: " property").first?.split(separator: " ").last.map({ String($0) })
    else { return nil }
    let value = message.split(separator: "Removing entire property:", maxSplits: 1).dropFirst().first ?? ""
    let text = value.hasPrefix(" ") ? String(value.dropFirst()) : String(value)
    let line = lines.first { $0.name.uppercased() == name && (text.isEmpty ? $0.value.isEmpty : $0.value.contains(text)) }
    return CalendarProperty(name: name, value: text, parameters: [:], line: line?.number ?? 0, isMalformed: true)
  }

  private func line(_ number: Int) -> ContentLine? {
    let index = lines.partitionPoint { $0.number < number }
    return index < lines.count && lines[index].number == number ? lines[index] : nil
  }

  /// Copies a string that libical allocated, and frees it.
  private static func take(_ pointer: UnsafeMutablePointer<CChar>?) -> String? {
    guard let pointer else { return nil }
    defer { icalmemory_free_buffer(pointer) }
    return String(cString: pointer)
  }
}
