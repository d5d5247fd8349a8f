import MarqueeCards
import MarqueeModel

extension WeatherTimeline {
  /// The number of later hours in a large card.
  private static let laterCount = 6

  /// Returns the card of an hour, with as much as the family has room for: the temperature alone in a circle or corner,
  /// one line in other accessories, and the following hours in large families.
  func card(
    _ forecast: WeatherForecast, _ index: Int, _ outlook: Outlook, _ family: WidgetFamily?
  ) -> EntryContent {
    let hour = forecast.hours[index]
    let degrees = temperature(hour, forecast)
    let words = hour.condition.words
    let body: [Card.Element] =
      switch family {
      case .accessoryCircular, .accessoryCorner: [.text(heading(degrees ?? words))]
      case .accessoryInline, .accessoryRectangular:
        [.text(Card.TextBlock([degrees, outlook.reason ?? words].compactMap(\.self).joined(separator: ", ")))]
      case nil, .systemSmall: summary(degrees, words, outlook)
      case .systemMedium, .systemLarge, .systemExtraLarge, .systemExtraLargePortrait:
        summary(degrees, words, outlook) + later(forecast, index)
      }
    return FeedCard.content(Card(body: body).json)
  }

  private func heading(_ text: String) -> Card.TextBlock {
    Card.TextBlock(text, style: .init(size: .large, weight: .bolder), wraps: true, lineCountMax: 2)
  }

  private func summary(_ degrees: String?, _ words: String, _ outlook: Outlook) -> [Card.Element] {
    let color: Card.TextColor = outlook.severity == .severe ? .attention : .default
    let reason = outlook.reason.map { Card.TextBlock($0, style: .init(color: color), wraps: true) }
    let condition = Card.TextBlock(words, style: .init(isSubtle: true), wraps: true)
    return ([heading(degrees ?? words), degrees == nil ? nil : condition, reason] as [Card.TextBlock?])
      .compactMap { $0.map { .text($0) } }
  }

  private func later(_ forecast: WeatherForecast, _ index: Int) -> [Card.Element] {
    let facts = forecast.hours[(index + 1)...].prefix(Self.laterCount).map { hour in
      let amount = hour.precipitation.flatMap { $0 > 0 ? "\(Self.rounded($0, forecast.precipitationUnit))" : nil }
      let parts = [temperature(hour, forecast), hour.condition.words, amount].compactMap(\.self)
      return Card.Fact(title: time(hour.date), value: parts.joined(separator: ", "))
    }
    return facts.isEmpty ? [] : [.facts(Array(facts))]
  }

  private func temperature(_ hour: WeatherForecast.Hour, _ forecast: WeatherForecast) -> String? {
    hour.temperature.map { "\(Int64(saturating: $0.rounded())) \(forecast.temperatureUnit)" }
  }

  /// Returns a positive amount with its unit and one decimal, or two in inches; at least the smallest such amount.
  private static func rounded(_ amount: Double, _ unit: String) -> String {
    let scale: Int64 = unit == "inch" ? 100 : 10
    let parts = max(1, Int64(saturating: (amount * Double(scale)).rounded()))
    let decimals = "\(parts % scale + scale)".dropFirst()
    return parts % scale == 0 ? "\(parts / scale) \(unit)" : "\(parts / scale).\(decimals) \(unit)"
  }
}
