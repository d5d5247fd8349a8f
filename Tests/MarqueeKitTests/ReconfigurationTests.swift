import Foundation
import MarqueeKit
import MarqueeModel
import MarqueeTestKit
import MarqueeTestSupport
import Testing

/// A widget that the user configures again and again, provided through the kit on a running server.
@Suite("Reconfigurations with the kit", .timeLimit(.minutes(4)))
struct ReconfigurationTests {
  private static let repetitionCount = 1_000

  /// The resident size of this process, which runs the server and the provider, in bytes.
  private static func residentSize() throws -> Int {
    let fields = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
    return try #require(fields.dropFirst().first.flatMap { Int($0) }) * Int(sysconf(Int32(_SC_PAGESIZE)))
  }

  @Test("W2 A widget shows the content of each of a thousand configurations, and memory and files stay small")
  func thousand() async throws {
    try await StackSimulator.run(from: "2021-06-07 09:00") { day in
      try await day.host(Weather(), app: Weather.app)
      try await day.addStack("home", ["\(Weather.app)/Forecast(city=object:berlin, days=0)"])
      var sizeAfterHundred = 0
      for number in 1...Self.repetitionCount {
        let intent = ShowForecast()
        intent.city = City(id: "berlin")
        intent.days = number
        let problems = try await day.configure("Forecast", in: "home", as: intent)
        let content = try await day.content(of: "Forecast(city=berlin, days=\(number))", in: "home")
        #expect(problems.isEmpty && content == "berlin \(number) °C systemSmall")
        if number == 100 { sizeAfterHundred = try Self.residentSize() }
      }
      let growth = try Self.residentSize() - sizeAfterHundred
      #expect(growth < 64 << 20, "\(growth) bytes")
      let uses = try await day.admin.limits(of: DeviceID(day.device))
      func use(_ name: String) throws -> Int { try #require(uses.first { $0.name == name }?.use) }
      #expect(try use("unplaced-timeline-count-max") <= 65 && use("device-size-max") < 65_536)
      let backup = try await day.admin.backup().reduce(into: 0) { $0 += $1.content.count }
      #expect(backup < 4 << 20, "\(backup) bytes")
    }
  }
}
