import ArgumentParser
import MarqueeEvaluation
import MarqueeModel

/// `marquee replay`
struct ReplayCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay",
    abstract: "Lives the last days of a log through again on a server, and says what came of its rotations.",
    discussion: """
      FILE is a log as for "evaluate". The server's clock must be a manual one that shows a time before the replayed \
      days, and its data directory empty: marqueed --clock manual=2000-01-01T00:00:00Z. Times are taken for UTC.

      Everybody who has done something on as many days before the replayed ones gets a device with a stack of the \
      widgets whose items they used most until then; one widget is one action with its parameter. What they did before \
      is donated at once, without places. Then the clock goes from one action to the next, each is donated when it \
      happens, and a display watches the stack. Nobody touches it, and nothing is suggested on top.

      A rotation came true (TRUE) when the widget's item was used within the 30 minutes after it, and was seen (SEEN) \
      if that was before the next rotation. AT USE is the share of the uses of the stack's items that found their \
      widget in front; an action that makes the stack rotate was there before the rotation. The table below asks the \
      same of two other ways to choose the front, TRUE at the instants at which the stack rotated.
      """)

  @Argument(help: "A file of tab-separated lines.", completion: .file(extensions: ["tsv"]))
  var file: String

  @Option(help: "Only this person; may be repeated.")
  var person: [String] = []

  @Option(help: "How many days, the last being that of the person's last action; 1 to 366.")
  var days = 7

  @Option(help: "Widgets in each stack, at most; 2 to 64.")
  var widgets = 8

  @OptionGroup var server: ServerOptions

  func validate() throws {
    guard (1...366).contains(days) else { throw ValidationError("--days is from 1 to 366") }
    guard (2...64).contains(widgets) else { throw ValidationError("--widgets is from 2 to 64") }
  }

  func run() async throws {
    let casts = try readCasts()
    try await server.run { session in
      let scores = try await Replay(session: session, casts: casts).run()
      let report = ReplayReport(dayCount: days, people: zip(casts, scores).map { ($0.plan.name, $1) })
      session.write(json: report.json, lines: report.lines.map(Terminal.printable))
    }
  }

  /// Those who are replayed.
  private func readCasts() throws(CommandFailure) -> [ReplayCast] {
    let progress = ProgressMeter("Reading \(file)")
    defer { progress.end() }
    let log = try HabitLog(path: file)
    for name in person where !log.people.contains(where: { $0.name == name }) {
      throw .notFound("person", name, known: log.people.map(\.name))
    }
    var casts: [ReplayCast] = []
    for human in log.people where person.isEmpty || person.contains(human.name) {
      guard let plan = ReplayPlan(human, dayCount: days, itemCountMax: widgets) else { continue }
      casts.append(try Arguments.check { () throws(Refusal) in try ReplayCast(human, plan) })
    }
    guard !casts.isEmpty else {
      throw CommandFailure(.refused, "nobody has done anything on \(days) days before the last \(days)")
    }
    return casts
  }
}
