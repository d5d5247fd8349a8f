import MarqueeModel
import MarqueeRPC
import MarqueeSimulator
import MarqueeTerminal

/// Plays a ``DemoDay`` on a ``DemoServer``, whose clock advances from change to change. One provider runs in a separate
/// process.
struct DemoStage: Sendable {
  let day: DemoDay
  let clock: DeviceClock
  let pace: Double
  /// Whether the day is shown in browsers, until the demo is interrupted.
  let isForBrowsers: Bool
  let terminal: Terminal

  /// Plays the day. Returns when all tasks and processes have ended.
  func play() async throws {
    try await DemoSandbox.run { sandbox in
      let progress = ProgressMeter("Starting the demo server")
      defer { progress.end() }
      let server = try DemoServer(at: day.start, in: sandbox, servesPages: isForBrowsers)
      do {
        try await withThrowingTaskGroup(of: Void.self) { tasks in
          defer { tasks.cancelAll() }
          tasks.addTask { try await server.watch() }
          tasks.addTask { try await play(on: server, in: sandbox, progress) }
          try await tasks.next()
        }
      } catch let status as RPCStatus {
        throw server.failure("\(status)")
      }
    }
  }

  private func play(on server: DemoServer, in sandbox: DemoSandbox, _ progress: ProgressMeter) async throws {
    let connection = try await server.connection()
    let cast = try DemoCast(connection: connection, day: day)
    try await cast.setStage()
    try sandbox.startReminders(day.reminders, on: server.endpoint)
    progress.end()
    try await perform(cast)
    await connection.close()
  }

  private func perform(_ cast: DemoCast) async throws {
    try await withThrowingTaskGroup { tasks in
      defer { tasks.cancelAll() }
      for provider in day.providers { tasks.addTask { try await cast.provide(provider, from: day.start) } }
      try await cast.awaitPublications(of: day.providers.count)
      try await cast.fillStack()
      if isForBrowsers { terminal.write(try await cast.pages().lines) }
      let (attached, continuation) = AsyncStream.makeStream(of: Void.self)
      tasks.addTask {
        defer { continuation.finish() }
        try await DemoScreen(clock: clock, terminal: terminal).follow(cast) { continuation.yield() }
      }
      // The day begins when the display is attached.
      for await _ in attached { break }
      try await pass(cast)
      // Deleting the stack ends the display, and with it the demo.
      if !isForBrowsers { try await cast.clearStage() }
      try await tasks.next()
    }
  }

  /// The longest time by which the clock advances at once while browsers show it.
  private static let stepMax = TimeSpan.minutes(5)

  /// Advances the clock from change to change until the day is over.
  private func pass(_ cast: DemoCast) async throws {
    let progress = ProgressMeter("Playing the day")
    defer { progress.end() }
    var (now, hasScrolled) = (day.start, false)
    while now < day.end {
      progress.note(.share(day.start.span(to: now).seconds / day.start.span(to: day.end).seconds))
      let next = try await cast.waitForReloads() ?? day.end
      let scrolls = !hasScrolled && day.scroll.at <= next
      let change = scrolls ? day.scroll.at : min(next, day.end)
      let stop = isForBrowsers ? min(change, now.advanced(by: Self.stepMax)) : change
      let hours = now.span(to: stop).seconds / 3_600
      if pace > 0 { try await Task.sleep(for: .seconds(hours * pace)) }
      now = try await cast.advanceClock(to: stop)
      if scrolls, stop == change {
        hasScrolled = true
        try await cast.scroll(to: day.scroll.to)
      }
    }
    _ = try await cast.waitForReloads()
  }
}
