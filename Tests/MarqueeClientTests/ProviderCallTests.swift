import MarqueeModel
import MarqueeRPC
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire
import Synchronization
import Testing

@testable import MarqueeClient

@Suite(.timeLimit(.minutes(1)))
struct ProviderCallTests {
  /// The calls that a server received, in order.
  private final class Calls: Sendable {
    private let names = Mutex<[String]>([])

    func note(_ name: String) { names.withLock { $0.append(name) } }

    var all: [String] { names.withLock(\.self) }
  }

  private func provider(_ connection: RPCClient) throws -> ProviderClient {
    try ProviderClient(
      connection, device: Fixture.device, app: Fixture.weatherApp, kinds: Fixture.descriptors(of: [Fixture.forecast]),
      reconnection: .fast)
  }

  private func shortcut() throws -> RelevantShortcut { try RelevantShortcut(kind: Fixture.forecast.kind.name) }

  @Test("Kinds are registered once, before the first set; warnings are returned")
  func order() async throws {
    let calls = Calls()
    let warning = LintWarning(code: "window-short", message: "2 s", index: 0)
    let server = try await FakeServer(register: { _ in calls.note("kinds") }) { router in
      router.synchronous(ProviderService.registerIntentTypes) { request, _ in
        calls.note("types \(request.intentTypes.count)")
        return RegisterIntentTypesResponse(warnings: [warning])
      }
      router.synchronous(ProviderService.setRelevantShortcuts) { request, _ in
        calls.note("shortcuts \(request.shortcuts.count) of \(request.app)")
        return SetRelevantShortcutsResponse(warnings: [warning])
      }
      router.synchronous(ProviderService.setRelevantIntents) { request, _ in
        calls.note("intents \(request.intents.count)")
        return SetRelevantIntentsResponse(warnings: [warning])
      }
    }
    let provider = try provider(server.client())
    let type = try IntentTypeDescriptor(
      app: Fixture.weatherApp, type: IntentType("View"), parameters: [], combinations: [])
    #expect(try await provider.registerIntentTypes([type]) == [warning])
    #expect(try await provider.setRelevantShortcuts([shortcut(), shortcut()]) == [warning])
    #expect(try await provider.setRelevantIntents([]) == [warning])
    let names = ["types 1", "kinds", "shortcuts 2 of \(Fixture.weatherApp)", "intents 0"]
    #expect(calls.all == names)
    await server.shutDown()
  }

  @Test("W6 Removals transmit their names and return the number; wrong names are rejected before anything is sent")
  func removals() async throws {
    let server = try await FakeServer(others: { router in
      router.synchronous(ProviderService.removeKinds) { request, _ in
        guard request.app == Fixture.weatherApp else { throw RPCStatus(.invalidArgument, "another app") }
        return RemoveKindsResponse(removedCount: request.kinds.count)
      }
      router.synchronous(ProviderService.removeIntentTypes) { request, _ in
        guard request.app == Fixture.weatherApp else { throw RPCStatus(.invalidArgument, "another app") }
        return RemoveIntentTypesResponse(removedCount: request.intentTypes.count)
      }
    })
    let provider = try provider(server.client())
    let (kinds, type) = (try ["A", "B"].map { try KindName($0) }, try IntentType("T"))
    #expect(try await provider.removeKinds(kinds) == 2)
    #expect(try await provider.removeIntentTypes([type]) == 1)
    await #expect(throws: RequestError.self) { try await provider.removeKinds([]) }
    await #expect(throws: RequestError.self) { try await provider.removeIntentTypes([type, type]) }
    await server.shutDown()
  }

  @Test("A rejected set, or an unreachable server, is thrown and not retried")
  func thrown() async throws {
    let calls = Calls()
    let server = try await FakeServer(others: { router in
      router.synchronous(ProviderService.setRelevantShortcuts) { _, _ in
        calls.note("shortcuts")
        throw RPCStatus(calls.all.count == 1 ? .unavailable : .invalidArgument, "no")
      }
    })
    let provider = try provider(server.client())
    for code in [StatusCode.unavailable, .invalidArgument] {
      let status = await #expect(throws: RPCStatus.self) { try await provider.setRelevantShortcuts([shortcut()]) }
      #expect(status?.code == code)
    }
    #expect(calls.all.count == 2)
    await server.shutDown()
    let alone = try self.provider(RPCClient(.unix(path: "/nowhere/marqueed.sock")))
    let status = await #expect(throws: RPCStatus.self) { try await alone.setRelevantIntents([]) }
    #expect(status?.code == .unavailable)
  }
}
