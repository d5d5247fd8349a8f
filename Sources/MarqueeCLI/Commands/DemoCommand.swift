import ArgumentParser
import Foundation
import MarqueeFeeds
import MarqueeModel
import MarqueeSimulator

/// `marquee demo`
struct DemoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo",
    abstract: "Shows a day of a stack of three widgets, with the reason of each rotation.",
    discussion: """
      A server of its own, on a clock of its own, with three providers and a display on its socket: a weather app, a \
      reminders app and a calendar. Nothing is kept.
      """)

  @Option(help: "Seconds that an hour of the day takes; 0 for as fast as can be.")
  var pace = 1.0

  @Option(
    help: "An iCalendar file for the calendar, instead of the working week that was written for this.",
    completion: .file(extensions: ["ics"]))
  var calendar: String?

  @Option(help: "The day, as 2026-03-04.")
  var day = "2026-03-04"

  func validate() throws {
    guard pace >= 0, pace <= 3_600 else { throw ValidationError("--pace is from 0 to 3600") }
  }

  func run() async throws {
    let clock = try DeviceClock(DemoDay.zone.text)
    let noon = try TimeArgument("\(day) 12:00").instant(now: .systemNow, clock: clock)
    let file: CalendarFile
    do {
      if let calendar {
        file = try CalendarFile(path: calendar)
      } else {
        file = try CalendarFile(bytes: PackageResources.WorkingWeek_ics)
      }
    } catch {
      throw CommandFailure(error, calendar ?? "the working week")
    }
    let day = try DemoDay(midnight: clock.dayBounds(containing: noon).start, calendar: file)
    try await withInterruption {
      try await DemoStage(day: day, clock: clock, pace: pace, terminal: .standard).play()
    }
  }
}
