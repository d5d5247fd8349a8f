import MarqueeModel

/// The fields of a forecast in the JSON of Open-Meteo that are read; others are ignored.
struct WeatherFile: Decodable {
  /// A time in ISO 8601, or in seconds since 1970 in UTC.
  enum Time: Decodable {
    case text(String)
    case epoch(Int64)

    init(from decoder: any Decoder) throws {
      let value = try decoder.singleValueContainer()
      // The error has to name both kinds of values, and not only the last one that was tried.
      if let seconds = try? value.decode(Int64.self) {
        self = .epoch(seconds)
      } else if let text = try? value.decode(String.self) {
        self = .text(text)
      } else {
        throw DecodingError.typeMismatch(Time.self, .init(codingPath: decoder.codingPath, debugDescription: "time"))
      }
    }
  }

  struct Hourly: Decodable {
    let time: [Time]
    let weather_code: [Int?]
    let temperature_2m: [Double?]?
    let precipitation: [Double?]?
  }

  let utc_offset_seconds: Int64?
  let hourly_units: [String: String]?
  let hourly: Hourly

  private static func field(_ name: String, _ index: Int? = nil) -> String {
    "hourly.\(name)" + (index.map { "[\($0)]" } ?? "")
  }

  /// Returns the unit of a field: the first of the known ones if the file names none.
  func unit(_ name: String, of known: [String]) throws(FeedError) -> String {
    guard let unit = hourly_units?[name] else { return known[0] }
    guard known.contains(unit) else {
      throw FeedError(
        .badValue, "unknown unit; expected \(known.joined(separator: " or "))", property: "hourly_units.\(name)")
    }
    return unit
  }

  /// Returns the hours up to the first one whose weather is unknown: models end at different times.
  func hours(zone: CalendarZone) throws(FeedError) -> [WeatherForecast.Hour] {
    let count = hourly.time.count
    guard count <= WeatherForecast.hourCountMax else {
      throw FeedError(
        .limitExceeded, "\(count) hours (maximum: \(WeatherForecast.hourCountMax))", property: Self.field("time"))
    }
    let others = [
      ("weather_code", hourly.weather_code.count), ("temperature_2m", hourly.temperature_2m?.count ?? count),
      ("precipitation", hourly.precipitation?.count ?? count),
    ]
    for (name, other) in others where other != count {
      throw FeedError(.badValue, "\(other) values for \(count) times", property: Self.field(name))
    }
    if let offset = utc_offset_seconds, offset.magnitude > 86_400 {
      throw FeedError(.badValue, "more than a day", property: "utc_offset_seconds")
    }
    var hours: [WeatherForecast.Hour] = []
    for (index, code) in hourly.weather_code.enumerated() {
      guard let code else { break }
      guard let condition = WeatherCondition(code: code) else {
        throw FeedError(.badValue, "unknown weather code: \(code)", property: Self.field("weather_code", index))
      }
      let date = try date(index, zone)
      if let last = hours.last, date <= last.date {
        throw FeedError(.badValue, "not after the previous time", property: Self.field("time", index))
      }
      hours.append(
        WeatherForecast.Hour(
          date: date, condition: condition,
          temperature: try value(hourly.temperature_2m, "temperature_2m", index, in: -1_000...1_000),
          // The value of a time is the sum of the preceding hour.
          precipitation: try index + 1 < count
            ? value(hourly.precipitation, "precipitation", index + 1, in: 0...10_000) : nil))
    }
    guard !hours.isEmpty else { throw FeedError(.missing, "no hour has a value", property: Self.field("weather_code")) }
    return hours
  }

  private func date(_ index: Int, _ zone: CalendarZone) throws(FeedError) -> Instant {
    let found: Instant? =
      switch hourly.time[index] {
      case .epoch(let seconds): seconds.magnitude < 1 << 40 ? Instant(milliseconds: seconds * 1_000) : nil
      case .text(let text): instant(text, zone)
      }
    guard let found else {
      throw FeedError(
        .badValue, "not an ISO 8601 time of the years 1970 to 9999", property: Self.field("time", index))
    }
    return found
  }

  /// Returns the instant of a time. A local one has the offset from UTC of the whole file.
  private func instant(_ text: String, _ zone: CalendarZone) -> Instant? {
    // A text without an offset of its own accepts one.
    guard let offset = utc_offset_seconds, let local = ISODate.instant(text + "Z", zone: zone) else {
      return ISODate.instant(text, zone: zone)
    }
    return Instant(milliseconds: local.milliseconds - offset * 1_000)
  }

  private func value(
    _ values: [Double?]?, _ name: String, _ index: Int, in range: ClosedRange<Double>
  ) throws(FeedError) -> Double? {
    guard let value = values?[index] else { return nil }
    guard range.contains(value) else {
      throw FeedError(
        .badValue, "not from \(Int(range.lowerBound)) to \(Int(range.upperBound))", property: Self.field(name, index))
    }
    return value
  }
}
