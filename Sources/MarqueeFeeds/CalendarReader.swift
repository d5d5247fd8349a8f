import CLibical

/// Parses the bytes of an iCalendar stream into components with libical.
///
/// libical receives one content line at a time, with two changes that avoid data loss. Each line carries
/// its number in a parameter, for error messages. Some properties are passed as extension properties, above all
/// recurrence rules, since libical 3.0.16 drops some that other programs write (COUNT with UNTIL, a negative COUNT,
/// BYMONTHDAY=32) and normalizes others.
struct CalendarReader {
  static let fileSizeMax = 16 << 20
  static let lineSizeMax = 1 << 20
  static let lineCountMax = 1_000_000
  static let depthMax = 16
  /// The maximum number of properties in a component. libical takes quadratic time for malformed ones.
  static let propertyCountMax = 8_192
  /// The maximum number of parameters of a property, in the number of which libical takes quadratic time.
  static let parameterCountMax = 256

  /// The maximum number of lines between a property and a following malformed one, within which the latter is searched.
  static let faultDistanceMax = 100

  private static let lineParameter = "X-MARQUEE-LINE"
  private static let heldBackPrefix = "X-MARQUEE-"

  /// Returns the name of a property whose value libical must not parse, or `nil` for others.
  ///
  /// These are rules; titles, for their spaces and unknown escapes; and periods that are not declared as such.
  private static func heldBack(_ line: ContentLine) -> String? {
    let name = line.name.uppercased()
    let isBarePeriod = name == "RDATE" && line.value.contains("/") && !line.text.uppercased().contains("VALUE=PERIOD")
    return name == "RRULE" || name == "SUMMARY" || isBarePeriod ? name : nil
  }

  private var lines: [ContentLine] = []
  private let parser: OpaquePointer

  /// Returns the top-level components of the stream, in order.
  ///
  /// - Throws: ``FeedError`` if a limit is exceeded, a line is not a content line, or no component is complete.
  static func components(of bytes: [UInt8]) throws(FeedError) -> [CalendarComponent] {
    guard bytes.count <= fileSizeMax else {
      throw FeedError(.limitExceeded, "the file is too large: \(bytes.count) bytes (maximum: \(fileSizeMax))")
    }
    guard let parser = icalparser_new() else { throw FeedError(.unreadable, "libical cannot allocate a parser") }
    defer { icalparser_free(parser) }
    var reader = CalendarReader(parser: parser)
    reader.lines = try ContentLine.unfolded(bytes)
    return try reader.components()
  }

  private init(parser: OpaquePointer) {
    self.parser = parser
    // Prevents a libical compiled to abort on malformed input from doing so.
    icalerror_set_errors_are_fatal(0)
  }

  private func components() throws(FeedError) -> [CalendarComponent] {
    var components: [CalendarComponent] = []
    var open: [String] = []
    var propertyCounts: [Int] = []
    for line in lines {
      let name = line.name.uppercased()
      if name == "BEGIN" {
        open.append(line.value.uppercased())
        propertyCounts.append(0)
        guard open.count <= Self.depthMax else {
          throw FeedError(
            .limitExceeded, "components are nested too deeply: \(open.count) levels (maximum: \(Self.depthMax))",
            line: line.number)
        }
      } else if name == "END" {
        guard open.popLast() != nil else {
          throw FeedError(.notACalendar, "END without a BEGIN", line: line.number)
        }
        propertyCounts.removeLast()
      } else {
        guard try isReadable(line, within: open.last) else { continue }
        propertyCounts[propertyCounts.count - 1] += 1
        try Self.check(propertyCount: propertyCounts.last ?? 0, line)
      }
      guard let component = add(line) else { continue }
      defer { icalcomponent_free(component) }
      components.append(read(component))
    }
    guard !components.isEmpty else {
      throw FeedError(.notACalendar, open.isEmpty ? "the file has no component" : "the component \(open[0]) has no END")
    }
    return components
  }

  /// Throws if a line is one property of a component too many, or has too many parameters.
  private static func check(propertyCount: Int, _ line: ContentLine) throws(FeedError) {
    guard propertyCount <= propertyCountMax else {
      throw FeedError(
        .limitExceeded, "too many properties in a component (maximum: \(propertyCountMax))", line: line.number)
    }
    guard line.parameterCount <= parameterCountMax else {
      throw FeedError(
        .limitExceeded, "too many parameters: \(line.parameterCount) (maximum: \(parameterCountMax))",
        line: line.number)
    }
  }

  /// Whether a line belongs to a component. Only events may contain lines that are not content lines.
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

  /// Passes a line to libical. Returns a component once the line ends one at the top level.
  private func add(_ line: ContentLine) -> OpaquePointer? {
    var text = line.text
    if line.name.uppercased() != "BEGIN" && line.name.uppercased() != "END" {
      let name = Self.heldBack(line).map { Self.heldBackPrefix + $0 } ?? line.name
      text = "\(name);\(Self.lineParameter)=\(line.number)" + line.afterName
    }
    var bytes = Array(text.utf8CString)
    return bytes.withUnsafeMutableBufferPointer { icalparser_add_line(parser, $0.baseAddress) }
  }

  private func read(_ component: OpaquePointer) -> CalendarComponent {
    var properties: [CalendarProperty] = []
    var next = icalcomponent_get_first_property(component, ICAL_ANY_PROPERTY)
    while let property = next {
      let isError = icalproperty_isa(property) == ICAL_XLICERROR_PROPERTY
      if isError {
        properties += fault(property, after: properties.last?.line ?? 0).map { [$0] } ?? []
      } else {
        properties += read(property: property)
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

  /// The property; one for each of its values when libical was not given them to split.
  private func read(property: OpaquePointer) -> [CalendarProperty] {
    guard let name = Self.consumeString(icalproperty_get_property_name_r(property))?.uppercased() else { return [] }
    var parameters: [String: String] = [:]
    var next = icalproperty_get_first_parameter(property, ICAL_ANY_PARAMETER)
    while let parameter = next {
      if let text = Self.consumeString(icalparameter_as_ical_string_r(parameter)), let equals = text.firstIndex(of: "=")
      {
        let value = text[text.index(after: equals)...]
        parameters[text[..<equals].uppercased()] = value.filter { $0 != "\"" }
      }
      next = icalproperty_get_next_parameter(property, ICAL_ANY_PARAMETER)
    }
    let number = parameters.removeValue(forKey: Self.lineParameter).flatMap { Int($0) }
    func made(_ name: String, _ value: String) -> CalendarProperty {
      CalendarProperty(name: name, value: value, parameters: parameters, line: number)
    }
    let line = number.flatMap(self.line)
    switch (name.hasPrefix(Self.heldBackPrefix) ? String(name.dropFirst(Self.heldBackPrefix.count)) : name, line) {
    case ("SUMMARY", let line?): return [made("SUMMARY", line.value.withoutEscapes)]
    case ("RRULE", let line?): return [made("RRULE", line.value)]
    // libical reads a missing number as 0.
    case ("SEQUENCE", let line?): return [made("SEQUENCE", line.value)]
    case ("RDATE", let line?) where name != "RDATE":
      return line.value.split(separator: ",", omittingEmptySubsequences: false).map { made("RDATE", String($0)) }
    default: return [made(name, Self.consumeString(icalproperty_get_value_as_string_r(property)) ?? "")]
    }
  }

  /// The property that libical put an error in the place of, when the error is about its value.
  private func fault(_ error: OpaquePointer, after number: Int) -> CalendarProperty? {
    guard let message = icalproperty_get_value(error).flatMap({ icalvalue_get_text($0) }).map({ String(cString: $0) }),
      message.hasPrefix("Can't parse as ") || message.hasPrefix("No value for "),
      let name = message.split(separator: " property").first?.split(separator: " ").last.map({ String($0) })
    else { return nil }
    let value = message.split(separator: "Removing entire property:", maxSplits: 1).dropFirst().first ?? ""
    let text = value.hasPrefix(" ") ? String(value.dropFirst()) : String(value)
    // The property follows closely. An unlimited search would be quadratic in a file of malformed lines.
    let near = lines[lines.partitionPoint { $0.number < number }...].prefix(Self.faultDistanceMax)
    let line = near.first {
      $0.name.uppercased() == name && (text.isEmpty ? $0.value.isEmpty : $0.value.contains(text))
    }
    return CalendarProperty(name: name, value: text, parameters: [:], line: line?.number, isMalformed: true)
  }

  private func line(_ number: Int) -> ContentLine? {
    let index = lines.partitionPoint { $0.number < number }
    return index < lines.count && lines[index].number == number ? lines[index] : nil
  }

  /// Copies a string allocated by libical, and frees the original.
  private static func consumeString(_ pointer: UnsafeMutablePointer<CChar>?) -> String? {
    guard let pointer else { return nil }
    defer { icalmemory_free_buffer(pointer) }
    return String(cString: pointer)
  }
}
