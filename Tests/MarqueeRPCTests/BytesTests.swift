import Testing

@testable import MarqueeRPC

@Suite("Byte comparison in words of eight")
struct BytesTests {
  @Test("A zero byte is found at every position, without false positives", arguments: 0..<40)
  func zero(count: Int) {
    for filler: UInt8 in [1, 0x7F, 0x80, 0x81, 0xFF] {
      var bytes = [UInt8](repeating: filler, count: count)
      #expect(!bytes.withUnsafeBytes { $0.containsZero })
      for position in 0..<count {
        bytes[position] = 0
        #expect(bytes.withUnsafeBytes { $0.containsZero }, "at \(position) of \(count), among \(filler)")
        bytes[position] = filler
      }
    }
  }

  @Test("A difference is found at every position", arguments: 0..<40)
  func sameness(count: Int) {
    let bytes = (0..<count).map { UInt8($0) }
    #expect(bytes.withUnsafeBytes { first in Array(bytes).withUnsafeBytes { first.equals($0) } })
    #expect(!bytes.withUnsafeBytes { first in (bytes + [7]).withUnsafeBytes { first.equals($0) } })
    for position in 0..<count {
      var other = bytes
      other[position] ^= 0x40
      #expect(!bytes.withUnsafeBytes { first in other.withUnsafeBytes { first.equals($0) } }, "at \(position)")
    }
  }
}
