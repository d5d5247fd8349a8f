import Foundation
import MarqueeModel
import MarqueeRPC
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire
import Synchronization
import Testing

@testable import MarqueeClient

@Suite(.timeLimit(.minutes(1)))
struct ErrandNotifierTests {
  private static func list(_ names: [String]) throws -> WatchSurfaceResponse {
    let app = try AppID("com.example.rail")
    let suggestions = try names.map { name in
      let reservation = try Reservation(item: DisplayIdentity(identifier: name, display: name), start: Fixture.start)
      return ListedSuggestion(subject: .reservation(app, reservation, .leave), confidence: 1, reason: "")
    }
    return WatchSurfaceResponse(at: Fixture.start, suggestions: suggestions, timeZone: Fixture.berlin)
  }

  @Test("S9 The documentation's example posts each errand once, across reconnections, and withdraws those that end")
  func runs() async throws {
    let streams = Mutex([
      (lists: [[], ["train"], ["train", "table"]], end: RPCStatus(.unavailable, "restarting")),
      (lists: [["train", "table"], ["table", "hotel"]], end: RPCStatus(.notFound, "device: removed")),
    ])
    let server = try await FakeServer(others: { router in
      router.serverStreaming(DisplayService.watchSurface) { _, responses, _ in
        let stream = streams.withLock { $0.removeFirst() }
        for names in stream.lists { try await responses.send(Self.list(names)) }
        try await responses.waitUntilSent()
        throw stream.end
      }
    })
    let log = Mutex<[String]>([])
    let names = Mutex<[SuggestionID: String]>([:])
    await #expect(throws: RPCStatus(.notFound, "device: removed")) {
      try await notify(of: Fixture.device, over: DisplayClient(server.client(), reconnection: .fast)) { errand in
        guard case .reservation(_, let reservation, _) = errand.subject else { return }
        names.withLock { $0[errand.id] = reservation.item.identifier }
        log.withLock { $0.append("+\(reservation.item.identifier)") }
      } withdraw: { id in
        log.withLock { log in log.append("-\(names.withLock { $0[id] } ?? "unknown")") }
      }
    }
    #expect(log.withLock(\.self) == ["+train", "+table", "-train", "+hotel"])
    await server.shutDown()
  }

  @Test("The documentation contains the example display verbatim")
  func isQuoted() throws {
    let here = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    let code = try String(contentsOf: here.appendingPathComponent("ErrandNotifier.swift"), encoding: .utf8)
    let page = try String(
      contentsOf: here.appendingPathComponent("../../Sources/MarqueeClient/MarqueeClient.docc/MarqueeClient.md"),
      encoding: .utf8)
    #expect(page.contains("```swift\n\(code)```\n"))
  }
}
