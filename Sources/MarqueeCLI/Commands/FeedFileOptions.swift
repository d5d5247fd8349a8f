import ArgumentParser
import MarqueeModel
import MarqueeSimulator
import MarqueeWire

/// Options for reading a calendar or a table as a timeline.
struct FeedFileOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The time zone of local times in a table or calendar; defaults to this machine's.",
      valueName: "zone"))
  var timeZone: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "When a calendar is published, and the default start of YAML cases; defaults to now, or for a calendar without "
        + "events in the next days to the day of its first event.",
      valueName: "time"),
    transform: { text in try TimeArgument(text) })
  var from: TimeArgument?

  @Option(help: "The number of days of a calendar to publish.")
  var days = 7

  /// Throws unless the number of days is at most `dayCountMax`.
  func validate(dayCountMax: Int) throws {
    guard (1...dayCountMax).contains(days) else { throw ValidationError("--days must be from 1 to \(dayCountMax)") }
  }

  /// How a file is read at `now`.
  func settings(now: Instant = .systemNow) throws(CommandFailure) -> FeedSettings {
    let clock = try timeZone.map { (name) throws(CommandFailure) in try DeviceClock(name) } ?? .system
    let from = try from.map { (time) throws(CommandFailure) in try time.instant(now: now, clock: clock) }
    return try Arguments.check { () throws(RequestError) in
      try FeedSettings(
        timeZone: TimeZoneID(timeZone ?? clock.zone.identifier), from: from, now: now, dayCount: days)
    }
  }

  /// How a server reads a file.
  func request() throws(CommandFailure) -> FeedOptions {
    let settings = try settings()
    return FeedOptions(timeZone: settings.timeZone, from: settings.from, dayCount: settings.dayCount)
  }
}

extension SourceFormat {
  /// Returns the format that the extension of a file's name stands for: `.yaml` or `.yml`, `.csv`, `.ics`; `nil` for
  /// others.
  init?(path: String) {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    switch name.split(separator: ".").last?.lowercased() {
    case "yaml", "yml": self = .yaml
    case "csv": self = .table
    case "ics": self = .calendar
    default: return nil
    }
  }
}
