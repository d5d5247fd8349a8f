import MarqueeClient
import MarqueeModel
import MarqueeTestSupport
import Testing

@Suite("Large lists of placed widgets over sockets", .timeLimit(.minutes(2)))
struct PlacedListTests {
  /// Reads lists until all widgets have been received, and returns the number of lists.
  private func readAll(_ provider: inout ProviderStream) async throws -> Int {
    var (missing, listCount) = (Set(LargeWidgets.all), 0)
    while !missing.isEmpty {
      for placed in try await provider.nextPlaced() { missing.remove(placed.widget) }
      listCount += 1
    }
    return listCount
  }

  @Test("Unsent lists of placed widgets are replaced by newer ones, and a stream receives all widgets when it attaches")
  func replaced() async throws {
    try await InProcessServer.run { server in
      try await LargeWidgets.register(server.connection())
      let display = server.display()
      var provider = try await ProviderStream(server.connection(), app: LargeWidgets.app)
      // 40 lists of 160 kB on average, which the provider does not read.
      for widget in LargeWidgets.all {
        try await display.edit(Fixture.stack, on: Fixture.device, .add(widget, at: nil))
      }
      let listCount = try await readAll(&provider)
      #expect(listCount < 20)
      var second = try await ProviderStream(server.connection(), app: LargeWidgets.app)
      #expect(try await readAll(&second) > 1)
      // The first stream has not ended, either.
      #expect(try await provider.publish(1, LargeWidgets.all[0], [Fixture.entry(Fixture.start)]) == .accepted(1))
      #expect(try await second.publish(1, LargeWidgets.all[0], [Fixture.entry(Fixture.start)]) == .accepted(1))
    }
  }
}
