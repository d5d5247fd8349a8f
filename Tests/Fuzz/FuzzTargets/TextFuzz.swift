import MarqueeEvaluation
import MarqueeFeeds
import MarqueeModel
import MarqueeScheduler
import MarqueeSimulator

/// What commands read from files.
enum TextFuzz {
  /// What a device accepts of a scenario is written and read again without loss.
  static func scenario(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard let text = String(validating: bytes, as: UTF8.self), let scenario = try? Scenario(yaml: text) else {
      return false
    }
    guard let lived = try? lived(scenario) else { return true }
    guard let again = try? Scenario(yaml: lived.yaml) else {
      preconditionFailure("a scenario cannot be read again:\n\(lived.yaml)")
    }
    precondition(again == lived && again.yaml == lived.yaml, "a scenario is written differently:\n\(lived.yaml)")
    return true
  }

  /// The scenario of what a device accepts; only a beginning of it, since long days take long.
  private static func lived(_ scenario: Scenario) throws(Refusal) -> Scenario {
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
      occurrences: accepted)
  }

  /// A calendar's occurrences of half a year, and the timeline that comes of them.
  static func calendar(_ bytes: [UInt8]) -> Bool {
    guard let file = try? CalendarFile(bytes: bytes) else { return false }
    let (start, end) = (StoredFuzz.start, StoredFuzz.start.advanced(by: .days(183)))
    guard let occurrences = try? file.occurrences(from: start, to: end, in: zone) else { return true }
    _ = CalendarTimeline(zone: zone).timeline(of: occurrences, from: start, to: end)
    return true
  }

  static func csv(_ bytes: [UInt8]) -> Bool {
    (try? CSVTimeline.timeline(bytes: bytes, zone: zone)) != nil
  }

  static func habits(_ bytes: [UInt8]) -> Bool {
    (try? HabitLog(bytes: bytes)) != nil
  }

  private static let zone = CalendarZone.named("Europe/Berlin") ?? .utc
}
