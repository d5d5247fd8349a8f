import MarqueeRPC
import Testing

@testable import MarqueeHTTP

@Suite("The table of HTTP/2 streams")
struct HTTP2StreamTableTests {
  @Test("Random insertions and removals match a dictionary", arguments: 0..<20)
  func againstDictionary(seed: Int) {
    var generator = SeededGenerator(seed: UInt64(seed) + 5)
    var table = HTTP2StreamTable()
    var dictionary: [StreamID: HTTP2Stream] = [:]
    // Multiples of the table's size collide.
    let stride = UInt32([2, 32, 64, 1_024][seed % 4])
    for _ in 0..<5_000 {
      let id = StreamID(rawValue: UInt32.random(in: 0..<100, using: &generator) * stride + 1)
      if dictionary[id] == nil, Bool.random(using: &generator) {
        let stream = HTTP2Stream(id, .http, messageSizeMax: 1)
        table.insert(stream)
        dictionary[id] = stream
      } else if Int.random(in: 0..<3, using: &generator) == 0 {
        dictionary[id] = nil
        table.remove(id)
      }
      #expect(table[id] === dictionary[id] && table.count == dictionary.count)
      #expect(table.isEmpty == dictionary.isEmpty)
    }
    #expect(table.sorted.map(\.id) == dictionary.keys.sorted())
    for id in dictionary.keys {
      #expect(table[id] === dictionary[id])
      table.remove(id)
      #expect(table[id] == nil)
    }
    #expect(table.isEmpty && table.sorted.isEmpty)
  }
}
