import MarqueeKit
import MarqueeModel
import MarqueeTestKit
import Testing

/// The expiry, sensitivity and URL of a host's entries.
@Suite("Details of entries", .timeLimit(.minutes(2)))
struct EntryDetailsTests {
  @Test("W4 W5 An entry is redacted on a locked screen, opens its URL, and is replaced by the fallback once it expires")
  func day() async throws {
    try await StackSimulator.run(from: "2021-06-07 09:00") { day in
      try await day.host(BalanceWidgets(), app: BalanceWidgets.app)
      try await day.addStack("home", ["\(BalanceWidgets.app)/Balance"])
      #expect(try await day.content(of: "Balance") == "52.6")
      for screen in [ScreenState.locked, .shared] {
        #expect(try await day.content(of: "Balance", on: screen) == "–")
      }
      let device = try DeviceID(day.device)
      let widget = try #require(try await day.admin.stacks(of: device).first?.members.first)
      let answer = try await day.admin.currentEntry(of: widget, on: device)
      let details = try #require(answer.timeline?.entry(at: answer.at)?.details)
      #expect(details.link?.text == "cards://balance" && details.isPrivate)
      let expiry = try #require(details.expiry)
      #expect(answer.at < expiry)
      try await day.advance(to: "23:59")
      #expect(try await day.content(of: "Balance") == "–")
      let whyNot = try await day.explain("home")
      #expect(whyNot.candidates.map(\.expiry) == [expiry] && whyNot.candidates.map(\.evidence) == [0])
    }
  }
}
