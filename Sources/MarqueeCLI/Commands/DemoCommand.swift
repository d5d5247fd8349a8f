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

  @Flag(
    help: """
      Show five widgets in a browser: print links to the console and to a kiosk, and stop when interrupted.
      """)
  var web = false

  @Option(
    help: ArgumentHelp(
      "The real seconds per simulated hour; 0 for maximum speed. Defaults to 1, or with --web to 6.",
      valueName: "seconds"))
  var pace: Double?

  @Option(
    help: "An iCalendar file to use instead of the built-in working week.",
    completion: .file(extensions: ["ics"]))
  var calendar: String?

  @Option(help: "The date, such as 2026-03-04.")
  var day = "2026-03-04"

  func validate() throws {
    if let pace, !(0...3_600).contains(pace) { throw ValidationError("--pace must be from 0 to 3600") }
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
    let day = try DemoDay(midnight: clock.dayBounds(containing: noon).start, calendar: file, isFull: web)
    // A closed terminal must not leave the server running.
    try await withInterruption(by: [SIGINT, SIGTERM, SIGHUP, SIGQUIT]) {
      try await DemoStage(
        day: day, clock: clock, pace: pace ?? (web ? 6 : 1), isForBrowsers: web, terminal: .standard
      ).play()
    }
  }
}
