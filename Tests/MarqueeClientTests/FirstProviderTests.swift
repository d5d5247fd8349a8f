import Foundation
import MarqueeModel
import MarqueeRPC
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire
import Testing

@testable import MarqueeClient

@Suite(.timeLimit(.minutes(1)))
struct FirstProviderTests {
  @Test("The documentation's example provider publishes, and answers a reload request")
  func runs() async throws {
    let commits = EventRecorder<[TimelineEntry]>()
    let noon = Instant.min.advanced(by: .hours(12))
    let widget = Widget(kind: WidgetKind(app: try AppID("com.example.chime"), name: try KindName("Hour")))
    let server = try await FakeServer(provide: [
      { messages, responses in
        while case .timeline(let part) = try await messages.next() {
          try await responses.send(.accepted(part.publish, warnings: []))
          commits.record(part.entries)
          let request = ReloadRequest(widget: widget, family: .systemSmall, reason: .atEnd, at: noon)
          try await responses.send(.reload(request))
        }
      }
    ])
    let (client, device) = (server.client(), Fixture.device)
    let provider = Task { try await provideChime(over: client, on: device, from: .min) }
    #expect(await commits.next()?.first?.date == Instant.min.advanced(by: .hours(1)))
    #expect(await commits.next()?.first?.date == noon.advanced(by: .hours(1)))
    provider.cancel()
    await server.shutDown()
    _ = await provider.result
  }

  @Test("The documentation contains the example provider verbatim")
  func isQuoted() throws {
    let here = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    let code = try String(contentsOf: here.appendingPathComponent("FirstProvider.swift"), encoding: .utf8)
    let page = try String(
      contentsOf: here.appendingPathComponent("../../Sources/MarqueeClient/MarqueeClient.docc/MarqueeClient.md"),
      encoding: .utf8)
    #expect(page.contains("```swift\n\(code)```\n"))
  }
}
