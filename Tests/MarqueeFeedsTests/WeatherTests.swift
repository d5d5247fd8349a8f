import Foundation
import MarqueeCards
import MarqueeModel
import Testing

@testable import MarqueeFeeds

@Suite struct WeatherTests {
  private static let path = Fixtures.root.appending(path: "Tests/MarqueeFeedsTests/forecast.json").path
  private let berlin: CalendarZone
  private let forecast: WeatherForecast

  init() throws {
    berlin = try #require(CalendarZone.named("Europe/Berlin"))
    forecast = try WeatherForecast(path: Self.path, zone: .utc)
  }

  private static func instant(_ text: String) throws -> Instant {
    try #require(ISODate.instant(text, zone: .utc))
  }

  private static func read(_ json: String, zone: CalendarZone = .utc) throws(FeedError) -> WeatherForecast {
    try WeatherForecast(bytes: Array(json.utf8), zone: zone)
  }

  private static func lines(_ content: EntryContent) throws -> [String] {
    #expect(content.mediaType == Card.mediaType)
    return try CardReading(content.bytes).card.text(width: 60)
  }

  private func entries(_ from: String, _ to: String, _ family: WidgetFamily? = nil) throws -> [TimelineEntry] {
    let rules = WeatherTimeline(zone: berlin)
    let (start, end) = (try Self.instant(from), try Self.instant(to))
    return rules.timeline(of: forecast, from: start, to: end, family: family).entries
  }

  @Test("A forecast has the hours of the file, at its offset, with the precipitation until the next one")
  func file() throws {
    #expect(forecast.hours.count == 30 && forecast.temperatureUnit == "°C" && forecast.precipitationUnit == "mm")
    #expect(try forecast.hours[0].date == Self.instant("2026-03-01T23:00Z"))
    #expect(try forecast.end == Self.instant("2026-03-03T05:00Z"))
    let (rain, storm) = (forecast.hours[16], forecast.hours[19])
    #expect(rain.condition == .lightRain && rain.temperature == 11.8 && rain.precipitation == 0.6)
    #expect(storm.condition == .thunderstorm && storm.precipitation == 6.2)
    #expect(forecast.hours[29].precipitation == nil)
  }

  @Test("A time has its own offset, or that of the file, or the zone's, or is in seconds")
  func times() throws {
    func date(_ time: String, _ more: String = "") throws -> String {
      let json = #"{\#(more)"hourly": {"time": [\#(time)], "weather_code": [0]}}"#
      return try Self.read(json, zone: berlin).hours[0].date.description
    }
    #expect(try date(#""2026-07-01T12:00""#) == "2026-07-01T10:00:00Z")
    #expect(try date(#""2026-07-01T12:00""#, #""utc_offset_seconds": -3600, "#) == "2026-07-01T13:00:00Z")
    #expect(try date(#""2026-07-01T12:00+05:00""#, #""utc_offset_seconds": -3600, "#) == "2026-07-01T07:00:00Z")
    #expect(try date("1782907200", #""utc_offset_seconds": -3600, "#) == "2026-07-01T12:00:00Z")
  }

  @Test("The score rises three hours before rain and storms, and halves while they last; cards say why")
  func rules() throws {
    let entries = try entries("2026-03-02T09:30Z", "2026-03-02T23:00Z")
    let shown = try entries.map { entry in
      "\(WeatherTimeline(zone: berlin).time(entry.date)) \(entry.relevance?.score ?? -1) "
        + (try Self.lines(entry.content).last ?? "")
    }
    #expect(
      shown == [
        "10:00 0.0 Thunderstorm from 19:00", "11:00 0.0 Thunderstorm from 19:00", "12:00 0.0 Thunderstorm from 19:00",
        "13:00 0.6 Light rain from 16:00", "14:00 0.6 Light rain from 16:00", "15:00 0.6 Light rain from 16:00",
        "16:00 1.0 Thunderstorm from 19:00", "17:00 1.0 Thunderstorm from 19:00", "18:00 1.0 Thunderstorm from 19:00",
        "19:00 0.5 Thunderstorm until 21:00", "20:00 0.5 Thunderstorm with hail until 21:00",
        "21:00 0.3 Showers until 22:00", "22:00 0.0 Overcast", "23:00 0.0 Overcast",
      ])
    #expect(
      entries.allSatisfy { ($0.relevance?.duration ?? .zero) == (($0.relevance?.score ?? 0) > 0 ? .hours(1) : .zero) })
  }

  @Test("Every family has a card with as much as it has room for", arguments: WidgetFamily.allCases)
  func families(family: WidgetFamily) throws {
    let lines = try Self.lines(
      try #require(try entries("2026-03-02T14:30Z", "2026-03-02T15:00Z", family).first).content)
    switch family {
    case .accessoryCircular, .accessoryCorner: #expect(lines == ["13 °C"])
    case .accessoryInline, .accessoryRectangular: #expect(lines == ["13 °C, Light rain from 16:00"])
    case .systemSmall: #expect(lines == ["13 °C", "Overcast", "Light rain from 16:00"])
    case .systemMedium, .systemLarge, .systemExtraLarge, .systemExtraLargePortrait:
      #expect(lines.count == 9 && lines.prefix(3) == ["13 °C", "Overcast", "Light rain from 16:00"])
      #expect(
        lines[3] == "16:00  12 °C, Light rain, 0.6 mm" && lines[7] == "20:00  10 °C, Thunderstorm with hail, 8.9 mm")
    }
  }

  @Test("A forecast that ends within the span says so, also one of the past, and asks for another in six hours")
  func ends() throws {
    let last = try entries("2026-03-03T03:00Z", "2026-03-03T12:00Z")
    #expect(try last.map { try Self.lines($0.content)[0] } == ["7 °C", "7 °C", "No forecast"])
    #expect(try last.map(\.date) == [3, 4, 5].map { try Self.instant("2026-03-03T0\($0):00Z") })
    let past = try entries("2026-04-01T00:00Z", "2026-04-02T00:00Z")
    #expect(try past.count == 1 && Self.lines(past[0].content) == ["No forecast"] && past[0].relevance?.score == 0)
    let (start, end) = (try Self.instant("2026-03-02T00:00Z"), try Self.instant("2026-03-04T00:00Z"))
    let timeline = WeatherTimeline(zone: .utc).timeline(of: forecast, from: start, to: end, family: .systemSmall)
    #expect(timeline.policy == .after(start.advanced(by: .hours(6))) && timeline.family == .systemSmall)
  }

  @Test("A card without temperatures has the weather as its heading; unknown later hours are left out")
  func bare() throws {
    let json = #"{"hourly": {"time": ["2026-03-02T09:00", "2026-03-02T12:00"], "weather_code": [71, null]}}"#
    let bare = try Self.read(json)
    #expect(bare.hours.count == 1)
    let start = bare.hours[0].date
    let entries = WeatherTimeline(zone: .utc).timeline(of: bare, from: start, to: start.advanced(by: .days(1))).entries
    #expect(try entries.map { try Self.lines($0.content) } == [["Light snow", "Light snow"], ["No forecast"]])
  }

  @Test("Each code of a forecast has words; others are unknown")
  func codes() {
    let codes = (-1...100).filter { WeatherCondition(code: $0) != nil }
    #expect(codes.count == 28)
    #expect(Set(codes.compactMap(WeatherCondition.init)).count == WeatherCondition.allCases.count)
    #expect(Set(WeatherCondition.allCases.map(\.words)).count == WeatherCondition.allCases.count)
    #expect(codes.filter { WeatherCondition(code: $0)?.severity == .dry } == [0, 1, 2, 3, 45, 48])
  }

  @Test(
    "A file that is no forecast is an error with its field, and without its content",
    arguments: [
      ("", "the file is empty"), ("secret", "not JSON"), ("{", "not JSON"),
      (String(repeating: "[", count: 100_000), "not JSON"),
      ("[]", "not an object"), (#"{"error": true, "reason": "secret"}"#, "hourly: required field is missing"),
      (#"{"hourly": []}"#, "hourly: not an object"),
      (#"{"hourly": {"time": []}}"#, "hourly.weather_code: required field is missing"),
      (#"{"hourly": {"time": [], "weather_code": []}}"#, "hourly.weather_code: no hour has a value"),
      (#"{"hourly": {"time": ["2026-03-02T09:00"], "weather_code": [null]}}"#, "no hour has a value"),
      (#"{"hourly": {"time": ["2026-03-02T09:00"], "weather_code": []}}"#, "hourly.weather_code: 0 values for 1 times"),
      (#"{"hourly": {"time": ["secret"], "weather_code": [0]}}"#, "hourly.time[0]: not an ISO 8601 time"),
      (#"{"hourly": {"time": [true], "weather_code": [0]}}"#, "hourly.time[0]: not a time in ISO 8601 or in seconds"),
      (#"{"hourly": {"time": [9e17], "weather_code": [0]}}"#, "hourly.time[0]: not an ISO 8601 time"),
      (#"{"hourly": {"time": [3600, 3600], "weather_code": [0, 0]}}"#, "hourly.time[1]: not after the previous time"),
      (#"{"hourly": {"time": [0], "weather_code": [42]}}"#, "hourly.weather_code[0]: unknown weather code: 42"),
      (#"{"hourly": {"time": [0], "weather_code": ["secret"]}}"#, "hourly.weather_code[0]: not an integer"),
      (
        #"{"hourly": {"time": [0], "weather_code": [0], "temperature_2m": [1e300]}}"#,
        "temperature_2m[0]: not from -1000"
      ),
      (
        #"{"hourly": {"time": [0, 1], "weather_code": [0, 0], "precipitation": [0, -1]}}"#,
        "precipitation[1]: not from 0"
      ),
      (
        #"{"utc_offset_seconds": 90000, "hourly": {"time": [0], "weather_code": [0]}}"#, "utc_offset_seconds: more than"
      ),
      (
        #"{"hourly_units": {"temperature_2m": "secret"}, "hourly": {"time": [0], "weather_code": [0]}}"#,
        "hourly_units.temperature_2m: unknown unit; expected °C or °F"
      ),
    ])
  func errors(json: String, text: String) {
    let error = #expect(throws: FeedError.self) { try Self.read(json) }
    let description = error?.description ?? ""
    #expect(description.contains(text) && !description.contains("secret"), "\(description)")
  }

  @Test("A file beyond a limit is an error")
  func limits() {
    let many = (0...WeatherForecast.hourCountMax).map(String.init).joined(separator: ",")
    let codes = Array(repeating: "0", count: WeatherForecast.hourCountMax + 1).joined(separator: ",")
    for json in [
      #"{"hourly": {"time": [\#(many)], "weather_code": [\#(codes)]}}"#,
      String(repeating: " ", count: WeatherForecast.fileSizeMax + 1),
    ] {
      #expect(#expect(throws: FeedError.self) { try Self.read(json) }?.code == .limitExceeded)
    }
  }
}
