import ArgumentParser
import MarqueeClient
import MarqueeModel
import MarqueeSimulator
import MarqueeWire

/// `marquee clock`
struct ClockCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "clock", abstract: "Shows the server's clock, or moves it.",
    discussion: """
      The clock of a server that was started with --clock manual stands still until it is moved, so that days can be \
      tried in seconds. Times are in UTC.
      """, subcommands: [Show.self, Advance.self], defaultSubcommand: Show.self)

  /// `marquee clock show`
  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "show", abstract: "Shows the clock, and when anything can change next.")

    @OptionGroup var server: ServerOptions

    func run() async throws {
      try await server.run { session in session.write(try await session.operators.clock()) }
    }
  }

  /// `marquee clock advance`
  struct Advance: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "advance",
      abstract: "Moves the clock, and returns when all that became due has been decided and sent to displays.",
      discussion: """
        What providers are asked for on the way they answer afterwards: move the clock from change to change where \
        that matters. It never goes back.
        """)

    @Argument(
      help: ArgumentHelp("A time, or how far to move it, such as +1h30m.", valueName: "time"),
      transform: { text in try TimeArgument(text) })
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
  fileprivate func write(_ clock: ClockReading) {
    let utc = DeviceClock.utc
    let next = clock.nextChange.map { "The next change is due at \($0)." } ?? "Nothing is due."
    write(
      json: .object(
        .time("now", clock.now, utc) + [.init("manual", .boolean(clock.isManual))]
          + .time("next_change", clock.nextChange, utc)),
      lines: ["\(clock.now)\(clock.isManual ? ", until it is moved" : "")", next])
  }
}
