import Foundation
import MarqueeKit
import MarqueeModel
import MarqueeRPC
import MarqueeTestKit
import Testing

@Suite("Removal with the kit", .timeLimit(.minutes(2)))
struct RemovalTests {
  @Test("W6 An app removes kinds and intent types, and a removed type is registered again on its next use")
  func parts() async throws {
    try await StackSimulator.run(from: "2021-06-07 09:00") { day in
      try await day.run(as: Weather.app) {
        let device = try DeviceID(day.device)
        let forecast = ShowForecast()
        forecast.city = City(id: "berlin")
        try await forecast.donate()
        try await day.addStack("home", ["\(Weather.app)/Beat", "\(Weather.app)/Clock"])
        let connection = try AppConnection.current
        #expect(try await connection.removeKinds(["Beat", "Unknown"]) == 1)
        let members = try await day.admin.stacks(of: device)[0].members
        #expect(members.map(\.kind.name.text) == ["Clock"])
        #expect(try await connection.removeIntentTypes(["ShowForecast"]) == 1)
        #expect(try await day.admin.donations(on: device).donations.isEmpty)
        try await forecast.donate()
        let donations = try await day.admin.donations(on: device).donations
        #expect(donations.map(\.satisfied.isEmpty) == [false])
        await #expect(throws: RequestError.self) { try await connection.removeKinds(["Clock", "Clock"]) }
      }
    }
  }

  @Test("W6 A host ends when its app is removed, and does not register the app again")
  func host() async throws {
    try await StackSimulator.run(from: "2021-06-07 09:00") { day in
      let (app, device) = (try AppID(Weather.app), try DeviceID(day.device))
      let connection = try AppConnection(app: Weather.app, device: day.device, client: day.server.connection())
      let host = try WidgetHost(Weather(), connection: connection)
      let running = Task { try await host.run() }
      // Attached, because a host that registers while its app is removed has not been removed.
      while !host.isServingQueries { try await Task.sleep(for: .milliseconds(5)) }
      #expect(try await day.admin.widgets(of: device).kinds.count == 3)
      #expect(try await day.display.removeApp(app, from: device))
      let status = await #expect(throws: RPCStatus.self) { try await running.value }
      #expect(status?.code == .notFound)
      #expect(try await day.admin.widgets(of: device).kinds.isEmpty)
    }
  }

  @Test("W6 An app that a scenario removes is gone, with its host")
  func scenario() async throws {
    let text = """
      device: phone
      time-zone: UTC
      begin: 2021-06-07
      events:
        - {at: 09:00, open-app: \(Weather.app)}
        - {at: 10:00, remove-app: \(Weather.app)}
      """
    let file = FileManager.default.temporaryDirectory.appending(path: "marquee-\(UUID().uuidString).yaml")
    try text.write(to: file, atomically: true, encoding: .utf8)
    // Best effort: it is in the temporary folder.
    defer { try? FileManager.default.removeItem(at: file) }
    try await StackSimulator.run(scenario: file) { day in
      try await day.host(Weather(), app: Weather.app)
      try await day.addStack("home", ["\(Weather.app)/Beat"])
      try await day.advanceToEnd()
      let device = try DeviceID(day.device)
      #expect(try await day.admin.widgets(of: device).kinds.isEmpty)
      #expect(try await day.admin.stacks(of: device).map(\.members) == [[]])
    }
  }
}
