import MarqueeClient
import MarqueeModel
import MarqueeRPC
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire
import Testing

@Suite("Watch face over sockets", .timeLimit(.minutes(2)))
struct WatchFaceTests {
  private static let app = valid { try AppID("com.example.gym") }
  private static let studio = valid { try Place(latitude: 52.52, longitude: 13.4, display: "Studio") }

  private static func shortcut(_ providers: [RelevanceProvider]) -> RelevantShortcut {
    valid {
      try RelevantShortcut(intent: Intent(type: IntentType("StartWorkout")), role: .information, providers: providers)
    }
  }

  private static let atPlace = shortcut([.location(valid { try PlaceRegion(center: studio, radius: 100) })])
  private static let atWork = shortcut([.dailyRoutine(.work)])
  private static let inWindow = shortcut([.date(valid { try DateWindow(start: Fixture.after(.hours(1))) })])

  @Test("S5 S6 Reported place and routine, and the time, order the shortcuts of the watch face")
  func order() async throws {
    try await InProcessServer.run { server in
      try await Fixture.register(server.connection())
      let display = server.display()
      let provider = try ProviderClient(server.connection(), device: Fixture.device, app: Self.app, kinds: [])
      try await provider.setRelevantShortcuts([Self.atWork, Self.atPlace, Self.inWindow, Self.shortcut([])])
      let face = { try await server.admin().watchFace(of: Fixture.device) }
      let first = try await face()
      #expect(first.at == Fixture.start && first.timeZone == Fixture.berlin && !first.hasMore)
      #expect(first.nextChange == Fixture.after(.hours(1)))
      #expect(
        first.items.map(\.reason) == [
          .windowAhead(Fixture.after(.hours(1))), .placeAway(distance: nil), .situationAbsent(.work), .anyTime,
        ])
      #expect(first.items.map(\.shortcut) == [Self.inWindow, Self.atPlace, Self.atWork, Self.shortcut([])])
      #expect(first.items.allSatisfy { $0.app == Self.app && !$0.isRelevantNow })

      try await display.report(.contextChanged(.place(Self.studio)), on: Fixture.device)
      server.clock.advance(to: Fixture.after(.minutes(1)))
      try await display.report(.contextChanged(.routine(.work)), on: Fixture.device)
      let second = try await face()
      #expect(
        second.items.prefix(2).map(\.reason) == [
          .place(distance: 0), .situation(.work, since: Fixture.after(.minutes(1))),
        ])
      #expect(second.items[1].until == Fixture.after(.minutes(1)).advanced(by: RoutineEvent.stayMax))
      #expect(try await server.admin().watchFace(of: Fixture.device, count: 2).items == Array(second.items.prefix(2)))
      #expect(try await server.admin().watchFace(of: Fixture.device, count: 2).hasMore)
      try await server.restart()
      #expect(try await face() == second)

      server.clock.advance(to: Fixture.after(.minutes(90)))
      #expect(try await face().items.map(\.shortcut) == [Self.atPlace, Self.atWork, Self.shortcut([])])
      let end = try await callStatus { _ = try await server.admin().watchFace(of: Fixture.otherDevice) }
      #expect(end?.code == .notFound && end?.message.hasPrefix("device: ") == true)
    }
  }

  @Test("Shortcuts that exceed one response are truncated, and the response says that there are more")
  func large() async throws {
    try await InProcessServer.run { server in
      try await Fixture.register(server.connection())
      let parameters = try (0..<60).map { index in
        IntentParameter(name: try .init("p\(index)"), value: .single(.string(String(repeating: "x", count: 4_000))))
      }
      let large = try RelevantShortcut(intent: Intent(type: IntentType("Large"), parameters: parameters))
      for app in try ["a", "b", "c"].map({ try AppID("com.example.\($0)") }) {
        let provider = try ProviderClient(server.connection(), device: Fixture.device, app: app, kinds: [])
        try await provider.setRelevantShortcuts([large, large])
      }
      let answer = try await server.admin().watchFace(of: Fixture.device)
      #expect(answer.items.map(\.shortcut) == [large] && answer.hasMore)
    }
  }
}
