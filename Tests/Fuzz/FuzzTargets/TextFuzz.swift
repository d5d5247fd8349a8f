import MarqueeEvaluation
import MarqueeFeeds
import MarqueeModel
import MarqueeScheduler
import MarqueeSimulator

/// Fuzzes the parsers of text files.
enum TextFuzz {
  /// The part of a scenario that a device accepts must round-trip.
  static func scenario(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard let text = String(validating: bytes, as: UTF8.self), let scenario = try? Scenario(yaml: text) else {
      return false
    }
    guard let accepted = try? accepted(scenario) else { return true }
    guard let again = try? Scenario(yaml: accepted.yaml) else {
      preconditionFailure("scenario cannot be parsed again:\n\(accepted.yaml)")
    }
    precondition(again == accepted && again.yaml == accepted.yaml, "scenario does not round-trip:\n\(accepted.yaml)")
    return true
  }

  /// Returns the scenario of the accepted events. Only a prefix is applied, to limit the run time.
  private static func accepted(_ scenario: Scenario) throws(RequestError) -> Scenario {
    var device = scenario.beginning
    var accepted: [Scenario.Occurrence] = []
    for occurrence in scenario.occurrences.prefix(100) {
      let isNear = scenario.begin.span(to: occurrence.at) < .hours(12) && occurrence.at.span(to: .max) > .days(366)
      guard isNear else { break }
      _ = device.advance(to: occurrence.at)
      do { try device.check(occurrence.event) } catch { continue }
      _ = device.handle(occurrence.event, at: occurrence.at)
      accepted.append(occurrence)
    }
    return try Scenario(
      device: scenario.device, timeZone: scenario.timeZone, begin: scenario.begin, policy: scenario.policy,
      until: scenario.until, occurrences: accepted)
  }

  /// Expands a calendar's occurrences for half a year, creates their timeline, and converts it to a scenario.
  static func calendar(_ bytes: [UInt8]) -> Bool {
    guard let file = try? CalendarFile(bytes: bytes) else { return false }
    let (start, end) = (StoredFuzz.start, StoredFuzz.start.advanced(by: .days(183)))
    guard let occurrences = try? file.occurrences(from: start, to: end, in: zone) else { return true }
    _ = CalendarTimeline(zone: zone).timeline(of: occurrences, from: start, to: end)
    convert(bytes, .calendar)
    return true
  }

  static func csv(_ bytes: [UInt8]) -> Bool {
    guard (try? CSVTimeline.timeline(bytes: bytes, zone: zone)) != nil else { return false }
    convert(bytes, .table)
    return true
  }

  /// Converts a calendar or table to a scenario, whose text must have the same meaning. An error is acceptable.
  private static func convert(_ bytes: [UInt8], _ format: SourceFormat) {
    guard let timeZone = try? TimeZoneID("Europe/Berlin"),
      let settings = try? FeedSettings(timeZone: timeZone, from: nil, now: StoredFuzz.start, dayCount: 31),
      let source = try? ScenarioSource(bytes, format, settings)
    else { return }
    let again = source.converted.flatMap { try? ScenarioSource($0, settings) }
    precondition(again?.scenario == source.scenario && again?.converted == nil, "a converted scenario is not one")
  }

  /// Creates the timelines of a forecast for a week from its first hour, and from its last one.
  static func weather(_ bytes: [UInt8]) -> Bool {
    guard let forecast = try? WeatherForecast(bytes: bytes, zone: zone) else { return false }
    for hour in [forecast.hours[0], forecast.hours[forecast.hours.count - 1]] {
      for family in [nil, .accessoryInline, .systemLarge] as [WidgetFamily?] {
        let end = hour.date.advanced(by: .days(7))
        let timeline = WeatherTimeline(zone: zone).timeline(of: forecast, from: hour.date, to: end, family: family)
        let isCurrent = timeline.entries.first?.date == hour.date
        precondition(isCurrent || hour.date >= end, "the first entry is not the current hour")
      }
    }
    return true
  }

  static func habits(_ bytes: [UInt8]) -> Bool {
    (try? HabitLog(bytes: bytes)) != nil
  }

  private static let zone = CalendarZone.named("Europe/Berlin") ?? .utc
}
