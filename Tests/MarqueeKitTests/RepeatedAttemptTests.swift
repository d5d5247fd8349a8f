import MarqueeClient
import MarqueeKit
import MarqueeModel
import MarqueeTestKit
import MarqueeTestSupport
import Testing

/// Providers that cannot make a timeline at the moment.
@Suite("Repeated attempts", .timeLimit(.minutes(1)))
struct RepeatedAttemptTests {
  /// Runs a host of the widgets, whose own retries follow after an hour.
  ///
  /// - Parameter delayed: Called when such a delay begins.
  private func run(
    _ bundle: FailingWidgets, delayed: @escaping @Sendable () -> Void = {},
    _ body: (StackSimulator) async throws -> Void
  ) async throws {
    try await StackSimulator.run(from: "2021-06-07 09:00") { day in
      var reconnection = Reconnection.eager
      reconnection.sleep = { duration in
        guard duration >= .seconds(1) else { return try await Task.sleep(for: duration) }
        delayed()
        try await Task.sleep(for: .seconds(3_600))
      }
      try await day.run(as: FailingWidgets.app) {
        let host = try WidgetHost(bundle, connection: AppConnection.current, reconnection: reconnection)
        let running = Task { try await host.run() }
        defer { running.cancel() }
        try await wait(for: "the relevance to be sent") { host.isRelevanceSynchronized }
        try await body(day)
      }
    }
  }

  @Test("T8 A provider that failed is called at once when its timeline is requested, before the delay of a retry ends")
  func requested() async throws {
    let bundle = FailingWidgets()
    try await run(bundle) { day in
      try await day.addStack("home", ["\(FailingWidgets.app)/Failing"])
      var attempts = bundle.source.attempts.stream.makeAsyncIterator()
      await attempts.next()
      #expect(try await day.content(of: "Failing") == nil)
      bundle.source.isAvailable.withLock { $0 = true }
      // The open request is sent again on the next stream.
      await day.providerLink.cut()
      try await wait(for: "the timeline") { try await day.content(of: "Failing") == "available" }
    }
  }

  @Test("Relevance that could not be sent is sent as soon as the app is connected again")
  func relevance() async throws {
    let (delays, delay) = AsyncStream.makeStream(of: Void.self)
    try await run(FailingWidgets(), delayed: { delay.yield() }) { day in
      let first = try await windows(day)
      #expect(first.count == 1)
      await day.providerLink.interrupt {
        WidgetCenter.shared.invalidateRelevance(ofKind: "Failing")
        var delays = delays.makeAsyncIterator()
        await delays.next()
      }
      try await wait(for: "the relevance") {
        let windows = try await windows(day)
        return windows.count == 1 && windows != first
      }
    }
  }

  private func windows(_ day: StackSimulator) async throws -> [DateWindow] {
    let apps = try await day.admin.shortcuts(on: DeviceID(day.device)).apps
    return apps.flatMap(\.shortcuts).flatMap(\.shortcut.windows)
  }
}
