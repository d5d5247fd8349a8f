import Testing

@testable import MarqueeRPC

@Suite("Incomplete messages")
struct ReceivingTests {
  private final class Account: ByteAccount {
    var size = 0
    let sizeMax: Int

    init(sizeMax: Int) {
      self.sizeMax = sizeMax
    }

    func reserve(_ size: Int) throws(RPCStatus) {
      guard self.size + size <= sizeMax else { throw RPCStatus(.resourceExhausted, "too many") }
      self.size += size
    }

    func release(_ size: Int) { self.size -= size }
  }

  private static let piece = [UInt8](repeating: 1, count: 40_000)
  private static let one = StreamID(rawValue: 1)

  /// Returns the events after the given time.
  private static func wait(_ seconds: Int, _ link: inout Link) -> [Seen] {
    link.now = link.now.advanced(by: .seconds(seconds))
    // Any input keeps the peer from being pinged.
    var seen = link.feedServer([0, 0, 0, 8, 8, 1, 0, 0, 0, 0] + [UInt8](repeating: 0, count: 8))
    link.server.wakeUp(at: link.now)
    while let event = link.server.nextEvent() {
      seen.append(Seen(event, UnsafeRawBufferPointer(start: nil, count: 0)))
    }
    return seen
  }

  @Test("They count against the shared budget until they are consumed or their calls end")
  func account() {
    var link = Link.open()
    let account = Account(sizeMax: 100_000)
    link.server.assemblyAccount = account
    let pieces: [Frame] = [.open(1), .open(3), .message(1, Self.piece, flags: 2), .message(3, Self.piece, flags: 2)]
    _ = link.feedServer(pieces.flatMap(\.bytes))
    #expect(account.size == 80_000)
    #expect(link.feedServer(Frame.message(3, Self.piece, flags: 2).bytes) == [.ended(3, .resourceExhausted)])
    #expect(account.size == 40_000)
    _ = link.feedServer(Frame.message(1, [1]).bytes)
    #expect(account.size == 0 && link.server.assemblySize == 0)
    _ = link.feedServer(Frame.message(1, Self.piece, flags: 2).bytes + Frame.cancel(1).bytes)
    #expect(account.size == 0 && link.server.assemblySize == 0)
  }

  @Test("A complete message buffered beyond credit stays counted until it is consumed")
  func held() throws {
    var link = Link.open()
    let account = Account(sizeMax: 1 << 20)
    link.server.assemblyAccount = account
    link.toServer += (0..<4).reduce(Frame.open(1).bytes) { bytes, _ in
      bytes + Frame.message(1, Self.piece, flags: 2).bytes
    }
    link.toServer += Frame.message(1, [1]).bytes
    var receipts: [CreditReceipt] = []
    var offset = 0
    let bytes = link.toServer
    bytes.withUnsafeBytes { bytes in
      while let event = link.server.receive(bytes, from: &offset, at: link.now) {
        if case .message(let message) = event { receipts.append(message.receipt) }
      }
    }
    #expect(receipts.count == 1 && account.size > 150_000 && link.server.assemblySize == account.size)
    link.server.consume(try #require(receipts.first))
    #expect(account.size == 0 && link.server.assemblySize == 0)
  }

  @Test("A call whose message stops arriving times out; a slow message does not")
  func messageTime() {
    var link = Link.open()
    _ = link.feedServer([Frame.open(1), .open(3), .message(1, [1], flags: 2)].flatMap(\.bytes))
    var tooEarly: [Seen] = []
    for _ in 0..<10 {
      _ = link.feedServer(Frame.message(3, Array(Self.piece.prefix(13_000)), flags: 2).bytes)
      tooEarly += Self.wait(2, &link)
    }
    #expect(tooEarly.isEmpty)
    #expect(Self.wait(11, &link) == [.ended(1, .resourceExhausted)])
    #expect(Self.wait(16, &link).isEmpty)
    #expect(Self.wait(2, &link) == [.ended(3, .resourceExhausted)], "30 s after its last frame")
    #expect(link.server.assemblySize == 0)
  }

  @Test("A message's time is limited by the minimum rate, even if frames keep arriving")
  func messageRate() {
    var link = Link.open()
    _ = link.feedServer(Frame.open(1).bytes)
    for _ in 0..<2 {
      _ = link.feedServer(Frame.message(1, Array(Self.piece.prefix(10_240)), flags: 2).bytes)
      #expect(Self.wait(17, &link).isEmpty)
    }
    #expect(Self.wait(2, &link) == [.ended(1, .resourceExhausted)], "after 30 s and 5 s")
  }

  @Test("Time does not count while an unconsumed message withholds the credit")
  func heldUp() {
    var link = Link.open()
    _ = link.feedServer(Frame.open(1).bytes)
    var pipe = [Frame.message(1, [7]), .message(1, [1], flags: 2)].flatMap(\.bytes)
    var receipt: CreditReceipt?
    pipe.withUnsafeBytes { bytes in
      var offset = 0
      while let event = link.server.receive(bytes, from: &offset, at: link.now) {
        if case .message(let message) = event { receipt = message.receipt }
      }
    }
    pipe = []
    #expect(Self.wait(100, &link).isEmpty)
    if let receipt { link.server.consume(receipt) }
    #expect(Self.wait(29, &link).isEmpty)
    #expect(Self.wait(35, &link).isEmpty)
    #expect(Self.wait(35, &link) == [.ended(1, .resourceExhausted)])
  }

  @Test("A call with a single request times out unless the request begins; streaming calls do not")
  func requestTime() {
    var link = Link.open()
    _ = link.feedServer([Frame.open(1), .open(3), .open(5)].flatMap(\.bytes))
    for id in [Self.one, StreamID(rawValue: 5)] {
      link.server.accept(id, messageSizeMax: 1_000, waitsForRequestSince: link.now)
    }
    _ = link.feedServer(Frame.message(5, [1], flags: 2).bytes)
    #expect(Self.wait(9, &link).isEmpty)
    #expect(Self.wait(2, &link) == [.ended(1, .resourceExhausted)])
    #expect(link.server.streamCount == 3)
  }

  @Test("A request's time does not count while the connection has no credit")
  func requestWithoutCredit() throws {
    var limits = RPCLimits()
    limits.streamCredit = limits.frameSizeMax
    limits.connectionCredit = limits.frameSizeMax + 20_000
    var link = Link.open(RPCLimits(), limits)
    link.toServer += [Frame.open(1), .open(3), .message(3, [UInt8](repeating: 1, count: 60_000))].flatMap(\.bytes)
    var (offset, receipt): (Int, CreditReceipt?) = (0, nil)
    link.toServer.withUnsafeBytes { bytes in
      while let event = link.server.receive(bytes, from: &offset, at: link.now) {
        if case .message(let message) = event { receipt = message.receipt }
      }
    }
    link.toServer = []
    link.server.accept(Self.one, messageSizeMax: 1_000, waitsForRequestSince: link.now)
    #expect(Self.wait(11, &link).isEmpty)
    link.server.consume(try #require(receipt))
    #expect(Self.wait(9, &link).isEmpty)
    #expect(Self.wait(2, &link) == [.ended(1, .resourceExhausted)])
  }

  @Test("An unwanted message is dropped as it arrives, without buffering", arguments: [1, 7, 9_000])
  func unwanted(chunkSize: Int) {
    var link = Link.open()
    _ = link.feedServer([Frame.open(1), .open(3)].flatMap(\.bytes))
    link.server.accept(Self.one, messageSizeMax: 1_000)
    let frames: [Frame] = [.message(1, Self.piece), .message(1, Self.piece), .cancel(1), .message(3, [7, 8])]
    let bytes = frames.flatMap(\.bytes)
    var (seen, mostKept) = ([Seen](), 0)
    for start in stride(from: 0, to: bytes.count, by: chunkSize) {
      seen += link.feedServer(Array(bytes[start..<min(start + chunkSize, bytes.count)]))
      mostKept = max(mostKept, link.toServer.count)
    }
    #expect(seen == [.ended(1, .resourceExhausted), .message(3, [7, 8], isLast: false)])
    #expect(mostKept < 100)
  }

  @Test("A dropped frame must also be completed in time")
  func unwantedTime() {
    var link = Link.open()
    _ = link.feedServer(Frame.open(1).bytes)
    link.server.accept(Self.one, messageSizeMax: 1_000)
    #expect(link.feedServer(Array(Frame.message(1, Self.piece).bytes.dropLast())) == [.ended(1, .resourceExhausted)])
    link.now = link.now.advanced(by: .seconds(10))
    link.server.wakeUp(at: link.now)
    let event = link.server.nextEvent().map { Seen($0, UnsafeRawBufferPointer(start: nil, count: 0)) }
    #expect(event == .failed(.frameTimeout, .deadlineExceeded))
  }
}
