import ArgumentParser
import MarqueeEvaluation
import MarqueeModel
import MarqueeTerminal

/// `marquee backtest`
struct BacktestCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backtest",
    abstract: "Replay the last days of a log on a server and score its rotations.",
    discussion: """
      FILE is a log as for "evaluate-predictor". The server must use a manual clock that is set before the replayed \
      days, and an empty data directory: marqueed --clock manual=2000-01-01T00:00:00Z. Log times are interpreted as \
      UTC.

      Each person with actions on enough days before the replayed ones gets a device and a stack. The stack holds one \
      widget per frequently used item (an action with its parameter). Earlier actions are donated in advance, without \
      places. The clock then advances from action to action; each is donated when it occurs, and a display watches the \
      stack. No interactions are reported, and no widgets are suggested.

      A rotation is true (TRUE) if the widget's item was used within the following 30 minutes, and seen (SEEN) if that \
      happened before the next rotation. AT USE is the share of uses of the stack's items whose widget was in front; a \
      rotation caused by an action does not count for it. The second table compares two other ways to choose the \
      front; their TRUE is evaluated at the instants of the stack's rotations.
      """)

  @Argument(help: "A file of tab-separated lines.", completion: .file(extensions: ["tsv"]))
  var file: String

  @Option(help: "Only this person; can be repeated.")
  var person: [String] = []

  @Option(help: "The number of days, ending with the day of the user's last action; 1 to 366.")
  var days = 7

  @Option(help: "The maximum number of widgets in each stack; 2 to 64.")
  var widgets = 8

  @OptionGroup var server: ServerOptions

  func validate() throws {
    guard (1...366).contains(days) else { throw ValidationError("--days must be from 1 to 366") }
    guard (2...64).contains(widgets) else { throw ValidationError("--widgets must be from 2 to 64") }
  }

  func run() async throws {
    let casts = try readCasts()
    try await server.run { session in
      let scores = try await Backtest(session: session, casts: casts).run()
      let report = BacktestReport(dayCount: days, people: zip(casts, scores).map { ($0.plan.name, $1) })
      session.write(json: report.json, lines: report.lines)
    }
  }

  /// Returns the people to replay.
  private func readCasts() throws(CommandFailure) -> [BacktestCast] {
    let progress = ProgressMeter("Reading \(file)")
    defer { progress.end() }
    let log = try HabitLog(path: file)
    for name in person where !log.people.contains(where: { $0.name == name }) {
      throw .notFound("person", name, known: log.people.map(\.name))
    }
    var casts: [BacktestCast] = []
    for human in log.people where person.isEmpty || person.contains(human.name) {
      guard let plan = ReplayPlan(human, dayCount: days, itemCountMax: widgets) else { continue }
      casts.append(try Arguments.check { () throws(RequestError) in try BacktestCast(human, plan) })
    }
    guard !casts.isEmpty else {
      throw CommandFailure(.rejected, "no person has actions on \(days) days before the last \(days) days")
    }
    return casts
  }
}
