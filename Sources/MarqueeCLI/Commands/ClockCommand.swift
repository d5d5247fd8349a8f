import ArgumentParser
import MarqueeClient
import MarqueeModel
import MarqueeSimulator
import MarqueeWire

/// `marquee clock`
struct ClockCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "clock", abstract: "Show or advance the server's clock.",
    discussion: """
      The clock of a server started with --clock manual changes only when it is advanced, so that days can be \
      simulated in seconds. Times are in UTC.
      """, subcommands: [Show.self, Advance.self], defaultSubcommand: Show.self)

  /// `marquee clock show`
  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "show", abstract: "Show the clock and the time of the next possible change.")

    @OptionGroup var server: ServerOptions

    func run() async throws {
      try await server.run { session in session.write(try await session.operators.clock()) }
    }
  }

  /// `marquee clock advance`
  struct Advance: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "advance",
      abstract: "Advance the clock; return when all due decisions have been made and sent to displays.",
      discussion: """
        Providers answer requests made on the way only afterwards: where that matters, advance from change to change. \
        The clock never goes back.
        """)

    @Argument(
      help: ArgumentHelp("A time, or a duration such as 1h30m.", valueName: "time"),
      transform: { text in try TimeArgument(text.wholeMatch(of: /([0-9]+[dhms])+/) == nil ? text : "+\(text)") })
    var time: TimeArgument

    @OptionGroup var server: ServerOptions

    func run() async throws {
      try await server.run { session in
        let now = try await session.operators.clock().now
        session.write(try await session.operators.advanceClock(to: try time.instant(now: now, clock: .utc)))
      }
    }
  }
}

extension Session {
  fileprivate func write(_ clock: ClockStatus) {
    let utc = DeviceClock.utc
    let next = clock.nextChange.map { "The next change is due at \($0)." } ?? "No change is scheduled."
    write(
      json: .object(
        .time("now", clock.now, utc) + [.init("manual", .boolean(clock.isManual))]
          + .time("next_change", clock.nextChange, utc)),
      lines: ["\(clock.now)\(clock.isManual ? ", manual" : "")", next])
  }
}
