import MarqueeModel
import MarqueeScheduler
import Testing

/// The reasons of predictions: the same half hour as the probability, in words.
@Suite struct HabitReasonTests {
  private static let cupertino = [("location", Habitat.object("Cupertino"))]

  /// Fourteen days with a weather check at a time, daily or on weekdays, and other actions during the day.
  private static func days(_ hour: Int, _ minute: Int, onWeekdaysOnly: Bool = false) throws -> Habitat {
    var life = try Habitat()
    try life.registerFilling()
    let (app, location) = (try Habitat.app("weather"), try IntentParameter.Name("location"))
    let descriptor = try IntentTypeDescriptor(
      app: app, type: try IntentType("CheckWeather"), parameters: [.init(name: location, type: .object)],
      combinations: [.init(parameters: [location])], isDiscoverable: true)
    let kind = try WidgetDescriptor(
      kind: WidgetKind(app: app, name: try KindName("CheckWeather")), displayName: "Weather", families: [.systemSmall],
      configuration: .intent(descriptor.type))
    try life.send(.intentTypesRegistered(app, [descriptor]))
    try life.send(.kindsRegistered(app, [kind]))
    try life.stack()
    for day in 0..<14 {
      let isWeekend = day % 7 > 4
      let isFirst = hour < 9
      if !isFirst { try life.fill(day) }
      if !(onWeekdaysOnly && isWeekend) {
        try life.donate("weather", "CheckWeather", cupertino, at: Habitat.time(day, hour, minute))
      }
      if isFirst { try life.fill(day) }
    }
    return life
  }

  private static func weather(_ life: Habitat, _ surface: SuggestionSurface) -> SurfaceSuggestion? {
    life.device.suggestions(on: surface, count: 10).first { $0.subject.app.text == "com.example.weather" }
  }

  private static func likelyWeather(_ life: Habitat) throws -> LikelyAction {
    try #require(life.device.likelyActions(count: 9).first { $0.action.app.text == "com.example.weather" })
  }

  private static func text(minute: Int) -> String {
    let (hour, rest) = (minute / 60 % 24, minute % 60)
    return "\(hour < 10 ? "0" : "")\(hour):\(rest < 10 ? "0" : "")\(rest)"
  }

  @Test("P1 The reason counts the half hour that is predicted, whatever the minute at which it begins")
  func window() throws {
    var life = try Self.days(7, 31)
    for minute in stride(from: 7 * 60 + 5, through: 7 * 60 + 30, by: 5) {
      life.advance(to: Habitat.time(14, 0, minute))
      let words = "\(Self.text(minute: minute))–\(Self.text(minute: minute + 30)) on 10 of the last 10 active weekdays"
      for surface in [SuggestionSurface.search, .lockScreen, .suggestionsWidget] {
        let found = try #require(Self.weather(life, surface), "\(surface) at \(words)")
        #expect(found.reason.words().hasPrefix(words))
      }
      let likely = try Self.likelyWeather(life)
      #expect(likely.reasons.words.hasPrefix(words))
      for suggestion in life.device.suggestionExplanation(of: Habitat.home)?.candidates ?? [] {
        #expect(suggestion.summary().contains(words))
      }
    }
  }

  @Test("P1 A half hour that ends after midnight counts as one of the day on which it begins")
  func midnight() throws {
    var life = try Self.days(0, 10)
    life.advance(to: Habitat.time(13, 23, 50))
    let reason = try #require(Self.weather(life, .search)).reason.words()
    // A Sunday, after three weekend days.
    #expect(reason.hasPrefix("23:50–00:20 on 3 of the last 3 active weekend days"))
  }

  @Test("P1 A prediction from days of the other kind says that those are counted")
  func otherDays() throws {
    var life = try Self.days(7, 31, onWeekdaysOnly: true)
    life.advance(to: Habitat.time(19, 7, 10))
    let likely = try Self.likelyWeather(life)
    #expect(likely.reasons.words.hasPrefix("07:10–07:40 on 10 of the last 10 active weekdays"))
  }

  @Test("P6 No suggestion that is shown has an empty reason, at any step of two days")
  func everySuggestion() throws {
    var life = try Self.days(12, 10)
    var count = 0
    for step in 0..<2 * 288 {
      life.advance(to: Habitat.time(14, 0, step * 5))
      for surface in SuggestionSurface.allCases {
        for suggestion in life.device.suggestions(on: surface, count: 10) {
          #expect(!suggestion.reason.words().isEmpty)
          count += 1
        }
      }
      for candidate in life.device.suggestionExplanation(of: Habitat.home)?.candidates ?? [] {
        for signal in candidate.signals where signal.signal == .prediction {
          #expect(signal.habit?.words.isEmpty == false)
          count += 1
        }
      }
    }
    #expect(count > 50)
  }
}
