import ArgumentParser
import Foundation
import MarqueeFeeds
import MarqueeModel
import MarqueeSimulator

/// `marquee demo`
struct DemoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo",
    abstract: "Play a day of a stack with three widgets and print the reason for each rotation.",
    discussion: """
      Starts a private server with a simulated clock, and connects a display and three providers: weather, reminders \
      and calendar. Nothing is stored permanently. The server and one provider are the programs marqueed and \
      marquee-reminders, which must be installed next to marquee.
      """)

  @Option(help: "The real seconds per simulated hour; 0 for maximum speed.")
  var pace = 1.0

  @Option(
    help: "An iCalendar file to use instead of the built-in working week.",
    completion: .file(extensions: ["ics"]))
  var calendar: String?

  @Option(help: "The date, such as 2026-03-04.")
  var day = "2026-03-04"

  func validate() throws {
    guard pace >= 0, pace <= 3_600 else { throw ValidationError("--pace must be from 0 to 3600") }
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
    // A closed terminal must not leave the server running.
    try await withInterruption(by: [SIGINT, SIGTERM, SIGHUP, SIGQUIT]) {
      try await DemoStage(day: day, clock: clock, pace: pace, terminal: .standard).play()
    }
  }
}
