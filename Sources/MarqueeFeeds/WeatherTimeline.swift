import MarqueeCards
import MarqueeModel

/// Converts a weather forecast to a widget's timeline: an entry each hour, whose relevance rises before bad weather.
public struct WeatherTimeline: Sendable {
  /// How long before bad weather its score applies.
  public var lead = TimeSpan.hours(3)
  /// How long before bad weather a card announces it.
  public var notice = TimeSpan.hours(12)
  /// The time zone of times in cards.
  public var zone: CalendarZone

  /// Creates the default rules.
  public init(zone: CalendarZone) {
    self.zone = zone
  }

  /// The score of coming weather; half of it applies once the weather is there.
  static func score(of severity: WeatherCondition.Severity) -> Double {
    switch severity {
    case .dry: 0
    case .light: 0.3
    case .moderate: 0.6
    case .severe: 1
    }
  }

  /// Returns the timeline of a span, which requests a reload within six hours.
  ///
  /// Its first entry is that of the hour at `start`. If the forecast ends within the span, the last entry says so. A
  /// score lasts no longer than its hour.
  ///
  /// - Parameter family: The family that the cards are made for; `nil` for every family, with the card of a small one.
  public func timeline(
    of forecast: WeatherForecast, from start: Instant, to end: Instant, family: WidgetFamily? = nil
  ) -> Timeline {
    let hours = forecast.hours
    let current = hours.lastIndex { $0.date <= start } ?? 0
    var entries: [TimelineEntry] = []
    for index in hours.indices[current...] where hours[index].date < end {
      let next = index + 1 < hours.count ? hours[index + 1].date : forecast.end
      guard next > start else { continue }
      let outlook = outlook(forecast, index)
      entries.append(entry(hours[index].date, until: next, outlook.score, card(forecast, index, outlook, family)))
    }
    if forecast.end < end {
      let text = Card.TextBlock("No forecast", style: .init(isSubtle: true))
      entries.append(
        entry(forecast.end, until: forecast.end, 0, FeedCard.content(Card(body: [.text(text)]).json)))
    }
    let reload = min(end, start.advanced(by: .hours(6)))
    return Timeline(submitted: entries, policy: .after(reload), family: family)
  }

  private func entry(_ date: Instant, until end: Instant, _ score: Double, _ content: EntryContent) -> TimelineEntry {
    do {
      let duration = score > 0 ? date.span(to: end) : .zero
      return TimelineEntry(
        date: date, relevance: try TimelineEntryRelevance(score: score, duration: duration), content: content)
    } catch {
      preconditionFailure("invalid entry: \(error)")
    }
  }
}

extension WeatherTimeline {
  /// The reason for a score: weather that comes, or that is there.
  struct Outlook: Hashable {
    /// The reason in words, such as `Rain from 18:00`; `nil` if no bad weather is near.
    let reason: String?
    let severity: WeatherCondition.Severity
    let score: Double
  }

  /// Returns the outlook in an hour: of the worst weather to come, if it is worse than the present one.
  func outlook(_ forecast: WeatherForecast, _ index: Int) -> Outlook {
    let now = forecast.hours[index]
    let later = forecast.hours[(index + 1)...].prefix { $0.date <= now.date.advanced(by: notice) }
    // Worse weather counts before it comes; of equal weather, the earlier.
    let near = later.prefix { $0.date <= now.date.advanced(by: lead) }
    let coming = worst(of: near, after: now) ?? (now.condition.severity == .dry ? worst(of: later, after: now) : nil)
    if let coming {
      let isNear = coming.date <= now.date.advanced(by: lead)
      let severity = coming.condition.severity
      return Outlook(
        reason: "\(coming.condition.words) from \(time(coming.date))", severity: severity,
        score: isNear ? Self.score(of: severity) : 0)
    }
    let severity = now.condition.severity
    guard severity > .dry else { return Outlook(reason: nil, severity: .dry, score: 0) }
    // Without a day, a later time would be ambiguous.
    let relief = later.first { $0.condition.severity < severity }
    let until = relief.map { " until \(time($0.date))" } ?? ""
    return Outlook(reason: "\(now.condition.words)\(until)", severity: severity, score: Self.score(of: severity) / 2)
  }

  private func worst(of hours: ArraySlice<WeatherForecast.Hour>, after now: WeatherForecast.Hour)
    -> WeatherForecast.Hour?
  {
    let worse = hours.filter { $0.condition.severity > now.condition.severity }
    guard let most = worse.map(\.condition.severity).max() else { return nil }
    return worse.first { $0.condition.severity == most }
  }

  /// Returns the time of day in the zone, in hours and minutes.
  func time(_ date: Instant) -> String {
    let text = CalendarTime(utcSeconds: date.milliseconds / 1000, in: zone).description
    return String(text.dropFirst(11).prefix(5))
  }
}
