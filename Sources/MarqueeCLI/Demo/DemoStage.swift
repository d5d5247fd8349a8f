import Foundation
import Logging
import MarqueeClient
import MarqueeModel
import MarqueeRuntime
import MarqueeServer
import MarqueeSimulator
import MarqueeTerminal
import MarqueeTransport
import MarqueeWire
import ServiceLifecycle

/// Plays a ``DemoDay`` on a real server with its own socket, store and manual clock, which advances from change to
/// change. One provider runs in a separate process.
struct DemoStage: Sendable {
  let day: DemoDay
  let clock: DeviceClock
  let pace: Double
  let terminal: Terminal

  /// Plays the day. Returns when all tasks have ended.
  func play() async throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "marquee-demo-\(UUID().uuidString)")
    // Leftover files in the temporary directory are harmless.
    defer { try? FileManager.default.removeItem(at: directory) }
    let progress = ProgressMeter("Starting the demo server")
    defer { progress.end() }
    let time = ManualClock(at: day.start)
    let logger = Logger(label: "demo") { _ in SwiftLogNoOpLogHandler() }
    let server = try MarqueeServer(
      configuration: MarqueeConfiguration(
        dataDirectory: directory.path, endpoints: [.unix(path: directory.appending(path: "demo.sock").path)]),
      clock: time, logger: logger)
    let group = ServiceGroup(
      configuration: ServiceGroupConfiguration(
        services: [.init(service: server, successTerminationBehavior: .gracefullyShutdownGroup)], logger: logger))
    try await withThrowingTaskGroup { tasks in
      defer { tasks.cancelAll() }
      tasks.addTask { try await group.run() }
      if let endpoint = await server.listening()?.first {
        let connection = RPCClient(endpoint)
        let cast = try DemoCast(connection: connection, day: day)
        try await cast.setStage()
        let reminders = try RemindersProcess(day.reminders, on: endpoint, in: directory)
        defer { reminders.end() }
        progress.end()
        try await perform(cast, time)
        await connection.close()
        await group.triggerGracefulShutdown()
      }
      while try await tasks.next() != nil {}
    }
  }

  private func perform(_ cast: DemoCast, _ time: ManualClock) async throws {
    try await withThrowingTaskGroup { tasks in
      defer { tasks.cancelAll() }
      for provider in day.providers { tasks.addTask { try await cast.provide(provider, from: day.start) } }
      try await cast.awaitPublications(of: day.providers.count)
      try await cast.fillStack()
      let (attached, continuation) = AsyncStream.makeStream(of: Void.self)
      tasks.addTask {
        defer { continuation.finish() }
        try await DemoScreen(clock: clock, terminal: terminal).follow(cast) { continuation.yield() }
      }
      // The day begins when the display is attached.
      for await _ in attached { break }
      try await pass(cast, time)
      try await cast.clearStage()
      // Deleting the stack ends the display, and with it the demo.
      try await tasks.next()
    }
  }

  /// Advances the clock from change to change until the day is over.
  private func pass(_ cast: DemoCast, _ time: ManualClock) async throws {
    let progress = ProgressMeter("Playing the day")
    defer { progress.end() }
    var hasScrolled = false
    while time.now < day.end {
      progress.note(.share(day.start.span(to: time.now).seconds / day.start.span(to: day.end).seconds))
      let next = try await cast.settle() ?? day.end
      let scrolls = !hasScrolled && day.scroll.at <= next
      let stop = scrolls ? day.scroll.at : min(next, day.end)
      let hours = time.now.span(to: stop).seconds / 3_600
      if pace > 0 { try await Task.sleep(for: .seconds(hours * pace)) }
      time.advance(to: stop)
      if scrolls {
        hasScrolled = true
        try await cast.scroll(to: day.scroll.to)
      }
    }
    _ = try await cast.settle()
  }
}
