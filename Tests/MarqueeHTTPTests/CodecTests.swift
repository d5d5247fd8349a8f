import MarqueeRPC
import MarqueeSchema
import Testing

@testable import MarqueeHTTP

@Suite("Encodings of gRPC")
struct CodecTests {
  @Test("Base64 is encoded without padding, and decoded with or without it")
  func base64() {
    for (bytes, text) in [
      ([], ""), ([0], "AA"), ([0xFF, 0xFE], "//4"), ([1, 2, 3], "AQID"),
      (Array("any carnal pleas".utf8), "YW55IGNhcm5hbCBwbGVhcw"),
    ] as [([UInt8], String)] {
      #expect(String(decoding: Base64.encode(bytes), as: UTF8.self) == text)
      #expect(Base64.decode(Array(text.utf8)[...]) == bytes)
      let padding = String(repeating: "=", count: (4 - text.count % 4) % 4)
      #expect(Base64.decode(Array((text + padding).utf8)[...]) == bytes)
    }
    for text in ["A", "AA=", "AAA==", "AAAA=", "AA===", "A A", "AA\u{0}A", "AA=A", "AB"] {
      #expect(Base64.decode(Array(text.utf8)[...]) == nil, "\(text)")
    }
    #expect(Base64.decode(Array("AB".utf8)[...], ignoresUnusedBits: true) == [0])
    #expect(Base64.decode(Array("-_8".utf8)[...]) == [0xFB, 0xFF])
  }

  @Test("A message is percent-encoded, except for visible ASCII and spaces")
  func percent() {
    for (text, encoded) in [
      ("", ""), ("plain ~", "plain ~"), ("50 % of ä\n", "50 %25 of %C3%A4%0A"), ("\u{7F}\u{0}", "%7F%00"),
      ("日", "%E6%97%A5"),
    ] {
      #expect(String(decoding: PercentEncoding.encode(text), as: UTF8.self) == encoded)
    }
  }

  @Test(
    "A timeout has one to eight digits and a unit",
    arguments: [
      ("1n", Duration.nanoseconds(1)), ("0n", .zero), ("25u", .microseconds(25)), ("7m", .milliseconds(7)),
      ("10S", .seconds(10)), ("2M", .seconds(120)), ("99999999H", .seconds(3_600) * 99_999_999),
      ("123456789S", nil), ("", nil), ("S", nil), ("1", nil), ("-1S", nil), ("1.5S", nil), ("1 S", nil), ("1s", nil),
      ("+1S", nil),
    ] as [(String, Duration?)])
  func timeouts(text: String, timeout: Duration?) {
    #expect(GRPCTimeout.parse(Array(text.utf8)) == timeout)
  }

  @Test("A status has gRPC's trailers; a long message is cut between characters before it is encoded")
  func trailers() {
    func fields(_ status: RPCStatus, _ sizeMax: Int = 16_384) -> [String] {
      let list = GRPCResponse.trailers(status, sizeMax: sizeMax)
      return (0..<list.count).map {
        String(decoding: list[$0].name, as: UTF8.self) + "=" + String(decoding: list[$0].value, as: UTF8.self)
      }
    }
    #expect(fields(.ok) == ["grpc-status=0"])
    #expect(fields(RPCStatus(.notFound, "no stack 7")) == ["grpc-status=5", "grpc-message=no stack 7"])
    let long = fields(RPCStatus(.internalError, String(repeating: "é", count: 2_000)))
    #expect(long == ["grpc-status=13", "grpc-message=" + String(repeating: "%C3%A9", count: 1_024)])
    var status = RPCStatus(.aborted, "m", details: [StatusDetail(typeURL: "t", value: [1])])
    status.metadata.append("k", "v")
    status.metadata.append("k-bin", bytes: [0xFF, 0xFE])
    status.metadata.append("grpc-status", "0")
    status.metadata.append("content-type", "x")
    status.metadata.append("connection", "close")
    // google.rpc.Status: code 10, message "m", details {"t", [1]}.
    let details: [UInt8] = [0x08, 10, 0x12, 1, 0x6D, 0x1A, 6, 0x0A, 1, 0x74, 0x12, 1, 1]
    #expect(StatusMessage.encode(status) == details)
    let encoded = String(decoding: Base64.encode(details), as: UTF8.self)
    #expect(
      fields(status) == [
        "grpc-status=10", "grpc-message=m", "k=v", "k-bin=//4", "grpc-status-details-bin=\(encoded)",
      ])
    #expect(fields(status, 130) == ["grpc-status=10", "grpc-message=m"])
  }

  @Test("Messages are found in any division of their bytes into chunks", arguments: 0..<50)
  func deframing(seed: UInt64) {
    var generator = SeededGenerator(seed: seed + 1)
    let messages = (0..<Int.random(in: 1...5, using: &generator)).map { index in
      [UInt8](repeating: UInt8(index), count: [0, 1, 5, 300].randomElement(using: &generator)!)
    }
    var stream: [UInt8] = []
    for message in messages {
      var outbound = OutboundMessage(message)
      while outbound.unsentSize > 0 {
        var buffer = [UInt8](repeating: 0, count: Int.random(in: 1...9, using: &generator))
        let count = buffer.withUnsafeMutableBytes { outbound.read(into: $0) }
        stream += buffer.prefix(count)
      }
    }
    var (deframer, found, start) = (MessageDeframer(), [[UInt8]](), 0)
    while start < stream.count {
      let chunk = Array(stream[start..<min(stream.count, start + Int.random(in: 1...40, using: &generator))])
      start += chunk.count
      chunk.withUnsafeBytes { bytes in
        var offset = 0
        while let step = deframer.next(in: bytes, from: &offset, sizeMax: 300) {
          switch step {
          case .message(let range): found.append(Array(bytes[range]))
          case .fragment(let range):
            if let message = deframer.store(UnsafeRawBufferPointer(rebasing: bytes[range])) { found.append(message) }
          case .failure(let problem): Issue.record("\(problem)")
          }
        }
      }
    }
    #expect(found == messages)
    #expect(!deframer.isInsideMessage && deframer.storedSize == 0)
  }

  @Test("The size is checked from the prefix alone; reserved flags are rejected")
  func prefixes() {
    func first(_ bytes: [UInt8]) -> MessageDeframer.Step? {
      var (deframer, offset) = (MessageDeframer(), 0)
      return bytes.withUnsafeBytes { deframer.next(in: $0, from: &offset, sizeMax: 10) }
    }
    #expect(first([0, 0xFF, 0xFF, 0xFF, 0xFF]) == .failure(.tooLarge(0xFFFF_FFFF)))
    #expect(first([0, 0, 0, 0, 11]) == .failure(.tooLarge(11)))
    #expect(first([1, 0, 0, 0, 1]) == .failure(.compressed))
    #expect(first([2, 0, 0, 0, 1]) == .failure(.invalidFlag(2)))
    #expect(first([0x80, 0, 0, 0, 1]) == .failure(.invalidFlag(0x80)))
    #expect(first([0, 0, 0, 0, 0]) == .message(5..<5))
    #expect(first([0, 0, 0]) == nil)
  }
}

/// A small deterministic random number generator.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
  }

  mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state &* 0x2545_F491_4F6C_DD1D
  }
}
