import Testing

@testable import MarqueeRPC

@Suite("Stream table")
struct StreamTableTests {
  @Test("Random insertions and removals match a dictionary", arguments: 0..<20)
  func againstDictionary(seed: Int) {
    var generator = SeededGenerator(seed: UInt64(seed) + 5)
    var table = StreamTable()
    var dictionary: [StreamID: Int] = [:]
    // Multiples of the table's size collide.
    let stride = UInt32([2, 32, 64, 1_024][seed % 4])
    for step in 0..<5_000 {
      let id = StreamID(rawValue: UInt32.random(in: 0..<100, using: &generator) * stride + 1)
      if dictionary[id] == nil, Bool.random(using: &generator) {
        let slot = table.insert(CallStream(id, messageSizeMax: 1, receiveCredit: 1, sendCredit: step))
        #expect(table.values[slot].id == id)
        dictionary[id] = step
      } else if Int.random(in: 0..<3, using: &generator) == 0 {
        #expect(table[id]?.sendCredit == dictionary.removeValue(forKey: id))
        if table[id] != nil { table.remove(id) }
        #expect(table[id] == nil)
      } else {
        #expect(table[id]?.sendCredit == dictionary[id])
      }
      #expect(table.count == dictionary.count)
    }
    #expect(table.ids == dictionary.keys.sorted())
    for id in table.ids { table.remove(id) }
    #expect(table.isEmpty && table.values.count <= 64)
  }
}
