import MarqueeModel
import MarqueeRPC
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire
import Synchronization
import Testing

@testable import MarqueeClient

@Suite(.timeLimit(.minutes(1)))
struct DisplayClientTests {
  @Test("U3 Watching survives the loss of a stream: each stream starts with a snapshot")
  func reconnects() async throws {
    let (state, front) = (try Self.state(), try Self.front())
    let arrived = EventRecorder<Void>()
    let server = try await FakeServer(watch: [
      { responses in
        try await responses.send(state)
        try await responses.send(front)
        _ = await arrived.next()
        throw RPCStatus(.unavailable, "going away")
      },
      { _ in throw RPCStatus(.resourceExhausted, "too slow") }, { _ in },
      { responses in
        try await responses.send(state)
        try await responses.send(front)
        _ = await arrived.next()
        throw RPCStatus(.notFound, "device: unknown")
      },
    ])
    let changes = Mutex<[Bool]>([])
    var reconnection = Reconnection.fast
    reconnection.changed = { isInterrupted, _ in changes.withLock { $0.append(isInterrupted) } }
    var updates = try DisplayClient(server.client(), reconnection: reconnection).watch(Fixture.device)
      .makeAsyncIterator()
    for _ in 0..<2 {
      #expect(try await updates.next() == state)
      #expect(try await updates.next() == front)
      arrived.record()
    }
    await #expect(throws: RPCStatus(.notFound, "device: unknown")) { try await updates.next() }
    #expect(try await updates.next() == nil)
    #expect(changes.withLock(\.self) == [true, false])
    await server.shutDown()
  }

  @Test("S9 The updates of a surface continue on another stream with the present list, until the device is removed")
  func surface() async throws {
    @Sendable func list(_ at: Instant) -> WatchSurfaceResponse {
      WatchSurfaceResponse(at: at, suggestions: [], timeZone: Fixture.berlin, nextChange: at)
    }
    let streams = Mutex(0)
    let server = try await FakeServer(others: { router in
      router.serverStreaming(DisplayService.watchSurface) { request, responses, _ in
        guard request == WatchSurfaceRequest(device: Fixture.device, surface: .notifications, count: 3) else {
          throw RPCStatus(.invalidArgument, "another request")
        }
        let number = streams.withLock { streams in
          streams += 1
          return streams
        }
        guard number < 3 else { throw RPCStatus(.notFound, "device: removed") }
        try await responses.send(list(Fixture.after(.hours(Int64(number)))))
        throw RPCStatus(.unavailable, "going away")
      }
    })
    var updates = DisplayClient(server.client(), reconnection: .fast)
      .surfaceUpdates(on: .notifications, of: Fixture.device, count: 3).makeAsyncIterator()
    for hour in 1...2 as ClosedRange<Int64> {
      let update = try await updates.next()
      #expect(update == list(Fixture.after(.hours(hour))))
    }
    await #expect(throws: RPCStatus(.notFound, "device: removed")) { try await updates.next() }
    await server.shutDown()
  }

  @Test("Watching ends when its task is cancelled, connected or not")
  func cancelled() async throws {
    let state = try Self.state()
    let server = try await FakeServer(watch: [
      { responses in
        try await responses.send(state)
        try await Task.sleep(for: .seconds(3_600))
      }
    ])
    let seen = EventRecorder<DisplayUpdate>()
    let updates = try DisplayClient(server.client(), reconnection: .fast).watch(Fixture.device)
    let watching = Task { for try await update in updates { seen.record(update) } }
    #expect(await seen.next() == state)
    watching.cancel()
    try await watching.value
    await server.shutDown()
    let waiting = Task { for try await _ in updates {} }
    waiting.cancel()
    try await waiting.value
  }

  @Test("Displays and providers do not reconnect after their client was closed")
  func closed() async throws {
    let connection = RPCClient(.unix(path: "/nowhere/marqueed.sock"))
    await connection.close()
    var updates = try DisplayClient(connection).watch(Fixture.device).makeAsyncIterator()
    let watching = await #expect(throws: RPCStatus.self) { try await updates.next() }
    #expect(watching?.code == .unavailable)
    let provider = try ProviderClient(
      connection, device: Fixture.device, app: Fixture.weatherApp, kinds: Fixture.descriptors(of: [Fixture.forecast]))
    let providing = await #expect(throws: RPCStatus.self) { try await provider.run() }
    #expect(providing?.code == .unavailable)
  }

  @Test("A duplicate stack is rejected before anything is sent")
  func twice() async throws {
    let client = DisplayClient(RPCClient(.unix(path: "/nowhere")))
    let stack = Fixture.stack
    #expect(throws: RequestError.self) { try client.watch(Fixture.device, stacks: [stack, stack]) }
  }

  @Test("Registering, reporting and editing transmit their arguments and responses")
  func calls() async throws {
    let stack = Fixture.weatherStack(front: 0)
    let server = try await FakeServer(others: { router in
      router.synchronous(DisplayService.registerDevice) { request, _ in
        RegisterDeviceResponse(isCreated: request.timeZone.text == "Europe/Berlin")
      }
      router.synchronous(DisplayService.report) { request, _ in
        guard request.report == .shown(stack.id) else { throw RPCStatus(.invalidArgument, "another report") }
        return ReportResponse()
      }
      router.synchronous(DisplayService.removeApp) { request, _ in
        RemoveAppResponse(isRemoved: request.device == Fixture.device && request.app == Fixture.weatherApp)
      }
      router.synchronous(DisplayService.editStack) { request, _ in
        EditStackResponse(stack: request.edit == .removeStack ? nil : stack)
      }
    })
    let (client, device) = (DisplayClient(server.client()), Fixture.device)
    #expect(try await client.registerDevice(device, timeZone: TimeZoneID("Europe/Berlin")))
    #expect(try await client.removeApp(Fixture.weatherApp, from: device))
    #expect(try await !client.removeApp(Fixture.sportApp, from: device))
    #expect(try await !client.registerDevice(device, timeZone: TimeZoneID("Asia/Tokyo")))
    try await client.report(.shown(stack.id), on: device)
    #expect(try await client.edit(stack.id, on: device, .create(.systemSmall)) == stack)
    #expect(try await client.edit(stack.id, on: device, .removeStack) == nil)
    await server.shutDown()
  }

  private static func state() throws -> DisplayUpdate {
    DisplayUpdate(
      at: .min,
      .state(
        DeviceState(
          device: Fixture.device, timeZone: try TimeZoneID("Europe/Berlin"),
          stacks: [Fixture.weatherStack(front: 0)], entries: [])))
  }

  private static func front() throws -> DisplayUpdate {
    DisplayUpdate(
      at: .min, .front(FrontChange(stack: Fixture.stack, widget: Fixture.forecast, front: 0, decision: 1)))
  }
}
