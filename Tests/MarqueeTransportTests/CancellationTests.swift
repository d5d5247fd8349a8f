import MarqueeRPC
import MarqueeTestSupport
import Testing

@testable import MarqueeTransport

@Suite("Deadlines, cancellation, drain", .serialized, .timeLimit(.minutes(1)))
struct CancellationTests {
  @Test("A call past its deadline ends on the client and cancels the handler")
  func deadline() async throws {
    let server = try await EchoServer()
    let client = server.client()
    #expect(try await client.unary(Methods.echo, [1]) == [1])
    let status = try await callStatus {
      _ = try await client.unary(Methods.wait, [], options: CallOptions(timeout: .milliseconds(100)))
    }
    #expect(status?.code == .deadlineExceeded)
    await server.cancellations.wait()
    let late = try await callStatus {
      _ = try await client.unary(Methods.echo, [], options: CallOptions(timeout: .zero))
    }
    #expect(late?.code == .deadlineExceeded)
    #expect(try await client.unary(Methods.echo, [1], options: CallOptions(timeout: .seconds(1 << 40))) == [1])
    await server.shutDown()
    await client.close()
  }

  @Test("Waiting calls end at their own deadlines, in any order")
  func waitingDeadlines() async throws {
    let server = try await EchoServer()
    let client = server.client()
    #expect(try await client.unary(Methods.echo, [1]) == [1])
    let holders = (0..<RPCLimits().streamCountMax).map { _ in
      Task { try await callStatus { _ = try await client.unary(Methods.wait, []) } }
    }
    for _ in holders { await server.waits.wait() }
    let ends = AsyncStream.makeStream(of: Int.self)
    let calls = [900, 100, 600, 300].map { milliseconds in
      Task {
        let status = try await callStatus {
          _ = try await client.unary(Methods.echo, [2], options: CallOptions(timeout: .milliseconds(milliseconds)))
        }
        ends.continuation.yield(milliseconds)
        return status?.code
      }
    }
    for call in calls { #expect(try await call.value == .deadlineExceeded) }
    ends.continuation.finish()
    #expect(await ends.stream.reduce(into: []) { $0.append($1) } == [100, 300, 600, 900])
    for holder in holders { holder.cancel() }
    for holder in holders { #expect(try await holder.value?.code == .cancelled) }
    // On the server, a stream is free once its handler has finished.
    var answer: [UInt8] = []
    while let status = try await callStatus({ answer = try await client.unary(Methods.echo, [3]) }) {
      #expect(status.code == .resourceExhausted)
    }
    #expect(answer == [3])
    await client.close()
    await server.shutDown()
  }

  @Test("A server ends a call at its deadline without a CANCEL from the client")
  func serverDeadline() async throws {
    let server = try await EchoServer()
    var raw = try await RawClient(server.endpoint)
    // timeout_us = 1000
    let path = Array(Methods.wait.path.utf8)
    let open = RawFrame(type: 2, stream: 1, payload: [0x0A, UInt8(path.count)] + path + [0x10, 0xE8, 0x07]).bytes
    try await raw.send(RawFrame.hello + open + RawFrame.message(1, []))
    await server.cancellations.wait()
    let frames = RawFrame.frames(in: await raw.receive(atLeast: 60))
    #expect(frames.last?.type == 5 && frames.last?.payload.prefix(2) == [0x08, 4])
    await server.shutDown()
  }

  @Test("Cancelling the calling task cancels the handler and fails with CANCELLED")
  func cancelUnary() async throws {
    let server = try await EchoServer()
    let client = server.client()
    let task = Task { try await callStatus { _ = try await client.unary(Methods.wait, []) } }
    await server.waits.wait()
    task.cancel()
    #expect(try await task.value?.code == .cancelled)
    await server.cancellations.wait()
    await client.close()
    await server.shutDown()
    #expect(server.server.statistics.callsRunning == 0)
  }

  @Test("Cancelling or deallocating a stream cancels its handler")
  func cancelStream() async throws {
    let server = try await EchoServer()
    let client = server.client()
    let call = try await client.bidirectional(Methods.deaf)
    await server.waits.wait()
    call.cancel()
    await server.cancellations.wait()
    #expect(try await call.status().code == .cancelled)

    let reader = Task {
      let call = try await client.serverStreaming(Methods.flood, [])
      for try await _ in call.responses { break }
    }
    try await reader.value
    await server.cancellations.wait()

    let waiting = Task {
      let call = try await client.bidirectional(Methods.deaf)
      for try await _ in call.responses {}
    }
    await server.waits.wait(2)
    waiting.cancel()
    await server.cancellations.wait()
    _ = await waiting.result
    await client.close()
    await server.shutDown()
  }

  @Test("A handler is cancelled within 100 ms of its client's disconnection")
  func clientGone() async throws {
    let server = try await EchoServer()
    let raw = try await RawClient(server.endpoint)
    try await raw.send(RawFrame.hello + RawFrame.open(1, Methods.wait.path) + RawFrame.message(1, []))
    await server.waits.wait()
    let time = try await ContinuousClock().measure {
      try await raw.close()
      await server.cancellations.wait()
    }
    #expect(time < .milliseconds(100))
    await server.shutDown()
    #expect(server.server.statistics.callsRunning == 0)
  }

  @Test("Cancelling many calls at once leaks nothing")
  func manyCancelled() async throws {
    let server = try await EchoServer()
    let client = server.client()
    for _ in 0..<20 {
      await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<50 {
          group.addTask { _ = try await callStatus { _ = try await client.unary(Methods.wait, []) } }
        }
        await server.waits.wait(50)
        group.cancelAll()
        await server.cancellations.wait(50)
      }
    }
    #expect(try await client.unary(Methods.echo, [1]) == [1])
    await client.close()
    await server.shutDown()
    let counts = server.server.statistics
    #expect(counts.callsRunning == 0 && counts.callsFinished == [.cancelled: 1_000, .ok: 1])
  }

  @Test("A draining server finishes open calls and accepts no others")
  func drain() async throws {
    let server = try await EchoServer()
    let client = server.client()
    let chat = try await client.bidirectional(Methods.chat)
    try await chat.send([1])
    var responses = chat.responses.makeAsyncIterator()
    #expect(try await responses.next() == [1])
    async let down: Void = server.server.shutDown(grace: .seconds(30))
    // The client has received the GOAWAY when it is no longer ready.
    while client.connectivity == .ready {
      try await chat.send([2])
      #expect(try await responses.next() == [2])
    }
    let rejected = try await callStatus { _ = try await client.unary(Methods.echo, []) }
    #expect(rejected?.code == .unavailable)
    try await chat.send([3])
    #expect(try await responses.next() == [3])
    chat.finish()
    #expect(try await responses.next() == nil)
    await down
    await client.close()
  }

  @Test("Calls that exceed the grace period end with DEADLINE_EXCEEDED")
  func graceIsOver() async throws {
    let server = try await EchoServer()
    let client = server.client()
    let task = Task { try await callStatus { _ = try await client.unary(Methods.wait, []) } }
    await server.waits.wait()
    await server.server.shutDown(grace: .milliseconds(10))
    #expect(try await task.value?.code == .deadlineExceeded)
    await server.cancellations.wait()
    await client.close()
  }
}
