import Foundation
import MarqueeKit
import MarqueeModel
import MarqueeTestKit
import MarqueeTestSupport
import Testing

/// The device's time zone reaches the app wherever it formats local times. The tests run in a process in UTC.
@Suite("Time zones", .timeLimit(.minutes(2)))
struct TimeZoneTests {
  private static let app = LocalTimeWidgets.app
  private static let widget = "\(app)/Meeting(meeting=object:stand-up)"

  /// Runs a device in Tokyo with the widget in two families.
  private func run(_ body: (StackSimulator) async throws -> Void) async throws {
    try await StackSimulator.run(from: "2021-06-07 18:00", in: "Asia/Tokyo") { day in
      try await day.host(LocalTimeWidgets(), app: Self.app)
      try await day.addStack("home", [Self.widget])
      try await day.addStack("wall", family: .systemLarge, [Self.widget])
      try await body(day)
    }
  }

  private func contents(_ day: StackSimulator) async throws -> [String?] {
    [try await day.content(of: "Meeting", in: "home"), try await day.content(of: "Meeting", in: "wall")]
  }

  private func days(_ day: StackSimulator) async throws -> [Date] {
    let shortcuts = try await day.admin.shortcuts(on: DeviceID(day.device)).apps.flatMap(\.shortcuts)
    return shortcuts.flatMap(\.shortcut.windows).map { Date(milliseconds: $0.start.milliseconds) }
  }

  @Test("C1 Each timeline, snapshot and placeholder is made in the device's time zone, the first one as well")
  func first() async throws {
    try await run { day in
      let shown = try await contents(day)
      #expect(shown == ["systemSmall 18:00 Asia/Tokyo", "systemLarge 18:00 Asia/Tokyo"])
      #expect(try await day.placeholder(of: "Meeting") == "placeholder 18:00 Asia/Tokyo")
      #expect(try await day.snapshot(of: "Meeting(meeting=object:stand-up)") == "snapshot 18:00 Asia/Tokyo")
    }
  }

  @Test("C1 Entity queries, dialogs and relevance have the device's time zone")
  func elsewhere() async throws {
    try await run { day in
      let options = try await day.options(for: "meeting", of: ShowMeeting(), app: Self.app)
      #expect(options == ["Meeting at 18:00"])
      #expect(try await day.perform(TellMeeting(), app: Self.app).dialog == "It is at 18:00.")
      // Midnight in Tokyo is 15:00 UTC.
      #expect(try await days(day) == [Weather.date - 18 * 3_600])
    }
  }

  @Test("C1 When the time zone changes, all timelines are made again, and the relevance is requested again")
  func change() async throws {
    try await run { day in
      try await day.setTimeZone("America/New_York")
      try await wait(for: "the times in New York") {
        try await contents(day) == ["systemSmall 05:00 America/New_York", "systemLarge 05:00 America/New_York"]
      }
      try await wait(for: "the day in New York") { try await days(day) == [Weather.date - 5 * 3_600] }
      #expect(try await day.perform(TellMeeting(), app: Self.app).dialog == "It is at 05:00.")
    }
  }

  @Test("C1 A change of the time zone while the app is not connected is noticed when it connects again")
  func disconnected() async throws {
    try await run { day in
      try await day.providerLink.interrupt { try await day.setTimeZone("America/New_York") }
      try await wait(for: "the times in New York") {
        try await contents(day) == ["systemSmall 05:00 America/New_York", "systemLarge 05:00 America/New_York"]
      }
    }
  }

  @Test("C1 A process without a host requests the device's time zone; without a connection it is the system's")
  func withoutHost() async throws {
    try await run { day in
      try await day.run(as: "com.example.other") {
        #expect(AppConnection.timeZone == .current)
        try await AppConnection.current.updateTimeZone()
        #expect(AppConnection.timeZone.identifier == "Asia/Tokyo")
      }
    }
    #expect(AppConnection.timeZone == .current)
  }
}

extension Date {
  fileprivate init(milliseconds: Int64) { self.init(timeIntervalSince1970: Double(milliseconds) / 1_000) }
}
