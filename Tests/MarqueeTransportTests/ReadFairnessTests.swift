import Dispatch
import MarqueeRPC
import MarqueeTestSupport
import NIOPosix
import Testing

@testable import MarqueeTransport

@Suite("Fairness among connections", .timeLimit(.minutes(1)))
struct ReadFairnessTests {
  @Test("A connection with much input delays the others of its event loop by one buffer of it")
  func oneBuffer() async throws {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    var configuration = ServerConfiguration()
    configuration.eventLoopGroup = group
    let server = try await EchoServer(configuration: configuration)
    let call = HTTP1RawClient.call(Methods.echoNow.path, [1])
    let (busy, other) = (try await RawClient(server.endpoint), try await RawClient(server.endpoint))
    for client in [busy, other] {
      try await client.send(call)
      _ = await server.ends.next()
    }
    // The event loop waits until both have sent: 3 KB, of which a buffer has at most 2, and then another call.
    let (isWaiting, gate) = (EventRecorder<Void>(), DispatchSemaphore(value: 0))
    group.next().execute {
      isWaiting.record()
      gate.wait()
    }
    await isWaiting.wait()
    let count = 30
    try await busy.send(Array(repeatElement(call, count: count).joined()))
    try await other.send(HTTP1RawClient.call(Methods.fail.path, [UInt8(StatusCode.aborted.rawValue)]))
    gate.signal()
    var codes: [StatusCode?] = []
    for _ in 0...count { codes.append(await server.ends.next()) }
    let place = try #require(codes.firstIndex(of: .aborted))
    #expect(place < count)
    try await busy.close()
    try await other.close()
    await server.shutDown()
  }
}
