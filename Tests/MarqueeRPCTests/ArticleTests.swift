import Foundation
import Testing

@testable import MarqueeRPC

@Suite("Examples of the protocol article")
struct ArticleTests {
  /// Returns the bytes of the example under the heading, by sender.
  func example(_ heading: String) throws -> [(sender: String, bytes: [UInt8])] {
    let article = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../Sources/MarqueeRPC/MarqueeRPC.docc/CallProtocol.md")
    let text = try String(contentsOf: article, encoding: .utf8)
    let section = try #require(text.components(separatedBy: "\n## \(heading)\n").last)
    let block = try #require(section.components(separatedBy: "```").dropFirst().first)
    var example: [(sender: String, bytes: [UInt8])] = []
    for line in block.split(separator: "\n") {
      var words = line.split(separator: " ")[...]
      if let sender = words.first, sender == "client" || sender == "server" {
        example.append((String(sender), []))
        words = words.dropFirst()
      }
      let bytes = words.prefix { $0.count == 2 && UInt8($0, radix: 16) != nil }.compactMap { UInt8($0, radix: 16) }
      example[example.count - 1].bytes += bytes
    }
    return example
  }

  @Test("The article's unary call produces the article's bytes on both sides")
  func unaryCall() throws {
    let example = try example("A unary call")
    try #require(example.map(\.sender) == ["client", "server", "client", "server"])
    var link = Link()
    #expect(link.feedServer(example[0].bytes) == [.ready])
    _ = link.server.drainAll(at: link.now)
    let call: [Seen] = [
      .opened(1, "a.B/C", Metadata(), hasDeadline: true), .message(1, [1, 2], isLast: true),
    ]
    #expect(link.feedServer(example[2].bytes) == call)
    #expect(link.server.streams[StreamID(rawValue: 1)]?.deadline == link.now.advanced(by: .seconds(1)))
    _ = link.server.send(on: StreamID(rawValue: 1), sizeMax: 10, at: link.now) { $0.append([3]) }
    link.server.finish(StreamID(rawValue: 1), with: .ok)
    #expect(link.server.drainAll(at: link.now) == example[3].bytes)

    var client = Link()
    #expect(client.client.drainAll(at: client.now).starts(with: Preface.bytes))
    #expect(client.feedClient(example[1].bytes) == [.ready])
    client.openCall(timeout: .seconds(1))
    _ = client.client.send(on: StreamID(rawValue: 1), sizeMax: 10, endsStream: true, at: client.now) {
      $0.append([1, 2])
    }
    #expect(client.client.drainAll(at: client.now) == example[2].bytes)
    #expect(client.feedClient(example[3].bytes) == [.message(1, [3], isLast: false), .ended(1, .ok)])
  }

  @Test("The article's flow-control example matches the implementation")
  func credit() {
    var limits = RPCLimits()
    limits.streamCredit = 16_384
    var link = Link.open(RPCLimits(), limits)
    let call = link.openCall()
    let message = [UInt8](repeating: 7, count: 20_000)
    _ = link.client.send(on: call, sizeMax: 1 << 20, endsStream: true, at: link.now) { $0.append(message) }
    let first = link.clientFrames()
    #expect(first.last.map { [$0.payload.count, Int($0.flags)] } == [16_374, 2])
    _ = link.feedServer(first.flatMap(\.bytes))
    let credit = link.serverFrames()
    #expect(credit == [.credit(1, 16_384)])
    _ = link.feedClient(credit.flatMap(\.bytes))
    #expect(link.clientFrames().map { [$0.payload.count, Int($0.flags)] } == [[3_626, 1]])
    #expect(link.client.streams[call]?.sendCredit == 12_748)
  }
}
