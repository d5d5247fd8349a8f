import MarqueeRPC
import Testing

@Suite("First-in, first-out queues")
struct FIFOTests {
  @Test("A queue returns its elements in their order, like an array", arguments: 0..<20 as Range<UInt64>)
  func order(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var queue = FIFO<Int>()
    var expected: [Int] = []
    for number in 0..<2_000 {
      // Long runs, so that the queue grows past its kept places and becomes empty again.
      let grows = (number / 200 + Int(seed)).isMultiple(of: 2)
      if Int.random(in: 0..<10, using: &generator) < (grows ? 8 : 2) {
        queue.append(number)
        expected.append(number)
      } else {
        #expect(queue.popFirst() == (expected.isEmpty ? nil : expected.removeFirst()))
      }
      #expect(queue.count == expected.count && queue.isEmpty == expected.isEmpty)
      guard !expected.isEmpty else { continue }
      #expect(queue.first == expected[0])
      queue.first += 1
      expected[0] += 1
      #expect(queue.withFirst { $0 } == expected[0])
    }
  }
}
