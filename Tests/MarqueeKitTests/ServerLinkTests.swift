import Foundation
import MarqueeClient
import MarqueeKit
import MarqueeModel
import MarqueeRPC
import MarqueeTestKit
import MarqueeTestSupport
import Testing

/// Goal: connection faults cost only time. Method: a relay on the real socket cuts, holds back and delays data.
@Suite("Connection faults", .timeLimit(.minutes(2)))
struct ServerLinkTests {
  private func run(_ body: (StackSimulator, Weather) async throws -> Void) async throws {
    try await StackSimulator.run(from: "2021-06-07 09:00") { day in
      let bundle = Weather()
      try await day.host(bundle, app: Weather.app)
      try await day.addStack("home", ["com.example.weather/Beat"])
      try await body(day, bundle)
    }
  }

  @Test("A provider reconnects after a cut, and nothing is lost or duplicated")
  func cut() async throws {
    try await run { day, bundle in
      for number in 1...5 {
        await day.providerLink.cut()
        try await day.advance(to: "\(9 + number / 4):\(["00", "15", "30", "45"][number % 4])")
        #expect(try await day.content(of: "Beat") == "beat \(number)")
        #expect(bundle.beats.value == number + 1)
      }
    }
  }

  @Test("T8 Reload requests for an unreachable provider are delivered once when it reconnects")
  func interruption() async throws {
    try await run { day, bundle in
      try await day.providerLink.interrupt {
        try await day.advance(to: "09:29")
        #expect(try await day.content(of: "Beat") == "beat 0")
        let error = await #expect(throws: RPCStatus.self) {
          try await day.run(as: Weather.app) { try await INRelevantShortcutStore.default.setRelevantShortcuts([]) }
        }
        #expect(error?.code == .unavailable)
      }
      try await day.advance(to: "09:29")
      #expect(try await day.content(of: "Beat") == "beat 1")
      #expect(bundle.beats.value == 2)
    }
  }

  @Test("U3 A display whose connection is cut continues with the complete state")
  func display() async throws {
    try await run { day, _ in
      var updates = try day.display.watch(DeviceID(day.device)).makeAsyncIterator()
      guard case .state? = try await updates.nextInTime()?.change else { throw CancellationError() }
      await day.displayLink.cut()
      try await day.advance(to: "09:15")
      guard case .state(let state)? = try await updates.nextInTime()?.change else { throw CancellationError() }
      #expect(state.stacks.map(\.id.text) == ["home"])
    }
  }

  @Test("A delayed call exceeds its deadline; without the delay it succeeds")
  func deadline() async throws {
    try await run { day, _ in
      // Generous for a busy machine, and less than the delay.
      let display = DisplayClient(day.displayLink.connection(), callTimeMax: .seconds(2))
      let id = try DeviceID(day.device)
      try await display.report(.shown(StackID("home")), on: id)
      day.displayLink.delay = .seconds(5)
      let error = await #expect(throws: RPCStatus.self) { try await display.report(.hidden(StackID("home")), on: id) }
      #expect(error?.code == .deadlineExceeded)
      day.displayLink.delay = .zero
      try await DisplayClient(day.displayLink.connection()).report(.shown(StackID("home")), on: id)
    }
  }

  @Test("Delayed data arrives in order, and nothing is lost")
  func delay() async throws {
    try await run { day, bundle in
      let begin = ContinuousClock.now
      day.providerLink.delay = .milliseconds(30)
      try await day.run(as: Weather.app) {
        for number in 1...20 {
          let rain = ShowRainIntent()
          rain.city = INObject(identifier: "\(number)", display: "City \(number)")
          let interaction = INInteraction(intent: rain, response: nil)
          interaction.identifier = "same"
          interaction.donate(completion: nil)
          if number == 10 { day.providerLink.delay = .milliseconds(5) }
        }
        // Later calls take effect after earlier ones.
        _ = try await WidgetCenter.shared.currentConfigurations()
      }
      // At least one round trip.
      #expect(begin.duration(to: .now) >= .milliseconds(60))
      let donations = try await day.admin.donations(on: DeviceID(day.device)).donations
      #expect(donations.map { $0.activity.intent?.parameters.map { "\($0.value)" } } == [["20"]])
      try await day.advance(to: "09:15")
      #expect(try await day.content(of: "Beat") == "beat 1" && bundle.beats.value == 2)
    }
  }
}
