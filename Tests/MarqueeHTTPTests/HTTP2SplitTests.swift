import MarqueeRPC
import MarqueeTestSupport
import Testing

@testable import MarqueeHTTP

@Suite("Input of an HTTP/2 connection in pieces")
struct HTTP2SplitTests {
  /// A session with several calls, as bytes of a client.
  private static func session(_ seed: UInt64) -> [UInt8] {
    var generator = SeededGenerator(seed: seed + 1)
    var bytes = HTTP2Connection.preface + Frame.settings.bytes
    var rest: [Int32: [UInt8]] = [:]
    for id in stride(from: Int32(1), to: 9, by: 2) {
      let fields = HTTP2TestClient.fields("/a.B/C", [HTTP2TestClient.Field("grpc-timeout", "\(id)S")])
      bytes += Frame.headers(id, fields, ends: id == 7).bytes
      if id == 7 { continue }
      for _ in 0..<Int.random(in: 0...4, using: &generator) {
        let size = [0, 3, 200, 20_000].randomElement(using: &generator)!
        rest[id, default: []] += HTTP2TestClient.Message(bytes: [UInt8](repeating: UInt8(id), count: size)).encoded
      }
    }
    while let id = rest.keys.sorted().randomElement(using: &generator) {
      let left = rest[id] ?? []
      let size = min(left.count, Int.random(in: 0...16_384, using: &generator))
      bytes += Frame.data(id, Array(left.prefix(size)), ends: size == left.count).bytes
      rest[id] = size == left.count ? nil : Array(left.dropFirst(size))
      switch Int.random(in: 0..<6, using: &generator) {
      case 0: bytes += Frame.ping.bytes
      case 1: bytes += Frame.windowUpdate(id, 5).bytes
      case 2: bytes += Frame(type: 0xEE, payload: [1, 2, 3]).bytes
      case 3 where rest[id] != nil && Bool.random(using: &generator):
        bytes += Frame.reset(id).bytes
        rest[id] = nil
      default: break
      }
    }
    return bytes
  }

  private static func outcome(of bytes: [UInt8], pieces: () -> Int) -> (seen: [Seen], output: [UInt8]) {
    var link = HTTP2Link()
    var (seen, start): ([Seen], Int) = ([], 0)
    while start < bytes.count {
      let end = min(bytes.count, start + pieces())
      seen += link.feed(Array(bytes[start..<end]))
      start = end
    }
    return (seen, link.serverOutput())
  }

  @Test("Events and output do not depend on how the input is split", arguments: 0..<30)
  func splits(seed: UInt64) {
    let bytes = Self.session(seed)
    let whole = Self.outcome(of: bytes) { bytes.count }
    #expect(whole.seen.count > 4 && !whole.seen.contains(where: \.isFailure))
    var generator = SeededGenerator(seed: seed + 100)
    for largest in [1, 10, 3_000, 40_000] {
      let pieces = Self.outcome(of: bytes) { Int.random(in: 1...largest, using: &generator) }
      #expect(pieces.seen == whole.seen && pieces.output == whole.output, "pieces of up to \(largest) bytes")
    }
  }

  @Test("A message in a single frame is delivered in place")
  func inPlace() {
    for single in [true, false] {
      var link = HTTP2Link.open()
      let call = link.open(single: single)
      let bytes = Frame.ping.bytes + Frame.data(call, [0, 0, 0, 0, 3, 7, 8, 9], ends: true).bytes
      var offset = 0
      bytes.withUnsafeBytes { bytes in
        guard case .message(let message)? = link.server.receive(bytes, from: &offset, at: link.now),
          case .inPlace(let range) = message.content
        else {
          Issue.record("the message was not delivered in place")
          return
        }
        #expect(bytes[range].elementsEqual([7, 8, 9]))
      }
    }
  }

  @Test("Random bytes and changed frames never crash a connection", arguments: 0..<200)
  func garbage(seed: UInt64) {
    var generator = SeededGenerator(seed: seed + 1)
    var bytes = Self.session(seed)
    for _ in 0..<Int.random(in: 1...20, using: &generator) {
      let index = Int.random(in: 24..<bytes.count, using: &generator)
      bytes[index] = .random(in: 0...255, using: &generator)
    }
    var link = HTTP2Link()
    var start = 0
    while start < bytes.count {
      let end = min(bytes.count, start + Int.random(in: 1...30_000, using: &generator))
      for event in link.feed(Array(bytes[start..<end])) {
        if case .ended(let id, _) = event { link.server.finish(StreamID(rawValue: id), with: .ok) }
      }
      _ = link.serverOutput()
      start = end
    }
    link.now = link.now.advanced(by: .seconds(100))
    link.server.wakeUp(at: link.now)
    _ = link.feed([])
  }
}
