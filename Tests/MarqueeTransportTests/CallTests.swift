import MarqueeRPC
import MarqueeTestSupport
import NIOCore
import NIOPosix
import Testing

@testable import MarqueeTransport

@Suite("Calls over sockets", .timeLimit(.minutes(1)))
struct CallTests {
  @Test("A unary call returns what its handler returns")
  func unary() async throws {
    let server = try await EchoServer()
    let client = server.client()
    #expect(try await client.unary(Methods.echo, [1, 2, 3]) == [1, 2, 3])
    #expect(try await client.unary(Methods.echoNow, []) == [])
    let large = [UInt8](repeating: 9, count: 1 << 20)
    #expect(try await client.unary(Methods.echo, large) == large)
    #expect(client.connectivity == .ready)
    await client.close()
    #expect(client.connectivity == .shutDown)
    await server.shutDown()
    #expect(server.server.statistics.callsFinished == [.ok: 3])
    #expect(server.server.statistics.connectionsOpen == 0)
  }

  @Test("Messages stream from the client, from the server, and both ways")
  func streaming() async throws {
    let server = try await EchoServer()
    let client = server.client()
    let sum = try await client.clientStreaming(Methods.sum)
    for number in UInt8(1)...10 { try await sum.send([number]) }
    #expect(try await sum.response() == [55])

    let count = try await client.serverStreaming(Methods.count, [200])
    var expected: UInt8 = 0
    for try await response in count.responses {
      #expect(response == [expected])
      expected += 1
    }
    #expect(expected == 200)

    var options = CallOptions()
    options.metadata.append("greeting", "hello")
    let chat = try await client.bidirectional(Methods.chat, options: options)
    #expect(try await chat.header()["seen"] == "hello")
    var responses = chat.responses.makeAsyncIterator()
    for number in UInt8(0)..<50 {
      try await chat.send([number])
      #expect(try await responses.next() == [number])
    }
    chat.finish()
    #expect(try await responses.next() == nil)
    #expect(try await chat.status() == .ok)
    await client.close()
    await server.shutDown()
  }

  @Test("A handler that streams sends messages over the limit of unsent bytes")
  func largeEchoes() async throws {
    let server = try await EchoServer()
    let client = server.client()
    let chat = try await client.bidirectional(Methods.chat)
    var responses = chat.responses.makeAsyncIterator()
    for size in [300_000, 1_000_000, 262_144] {
      let message = [UInt8](repeating: 7, count: size)
      try await chat.send(message)
      let response = try await responses.next()
      #expect(response == message)
    }
    chat.finish()
    let status = try await chat.status()
    #expect(status == .ok)
    await client.close()
    await server.shutDown()
  }

  @Test("Messages sent before a stream's error are delivered before the error")
  func brokenOff() async throws {
    let server = try await EchoServer()
    let client = server.client()
    let call = try await client.serverStreaming(Methods.breakOff, [5])
    #expect(try await call.status().code == .aborted)
    var numbers: [UInt8] = []
    let error = await #expect(throws: RPCStatus.self) {
      for try await message in call.responses { numbers += message }
    }
    #expect(error?.code == .aborted)
    #expect(numbers == [0, 1, 2, 3, 4])
    await server.shutDown()
  }

  @Test("Offers are accepted up to the backlog limit, and again after the client has read")
  func offers() async throws {
    let server = try await EchoServer()
    let client = server.client()
    let call = try await client.bidirectional(Methods.offer)
    var responses = call.responses.makeAsyncIterator()
    var count = 0
    while let response = try await responses.next(), response.count > 1 { count += 1 }
    // The backlog of 256 KiB, plus the bytes sent before anything is queued.
    #expect((8...32).contains(count))
    for number in UInt8(0)..<20 {
      try await call.send([number])
      #expect(try await responses.next() == [number])
    }
    call.finish()
    #expect(try await responses.next() == nil)
    await client.close()
    await server.shutDown()
  }

  @Test("Initial responses are queued regardless of size and do not reduce the capacity for later ones")
  func initialOffers() async throws {
    let server = try await EchoServer()
    let client = server.client()
    let call = try await client.serverStreaming(Methods.offerState, [])
    var sizes: [Int] = []
    var taken: UInt8 = 0
    for try await response in call.responses {
      sizes.append(response.count)
      if response.count == 1 { taken = response[0] }
    }
    #expect(sizes == [1 << 19, 1 << 19] + Array(repeating: 32_768, count: Int(taken)) + [1])
    // The backlog limit of 256 KiB, regardless of the unsent initial responses.
    #expect(taken == 8)
    await client.close()
    await server.shutDown()
  }

  @Test("A call's error arrives with code, message, details and metadata")
  func errors() async throws {
    let server = try await EchoServer()
    let client = server.client()
    for code in UInt8(1)...16 {
      let status = try await callStatus { _ = try await client.unary(Methods.fail, [code]) }
      #expect(status?.code.rawValue == UInt32(code))
      #expect(status?.message == "as asked")
      #expect(status?.details == [StatusDetail(typeURL: "test/Detail", value: [1, 0, 2])])
      #expect(status?.metadata["reason"] == "asked")
    }
    await client.close()
    await server.shutDown()
  }
}
