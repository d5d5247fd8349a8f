import Testing

@testable import MarqueeSchema

@Suite("Strings of JSON texts")
struct JSONStringTests {
  @Test("A plain part ends at the first byte that is escaped or must not occur", arguments: [true, false])
  func plainPart(isASCII: Bool) {
    for special in UInt8.min...UInt8.max {
      let isPlain = special >= 0x20 && special != 0x22 && special != 0x5C && (special < 0x80 || !isASCII)
      for place in 0..<20 {
        for start in [0, place / 2, place] {
          var text = [UInt8](repeating: UInt8(ascii: "a"), count: 21)
          text[place] = special
          let end = text.withUnsafeBufferPointer { JSONString.endOfPlainPart(in: $0, from: start, isASCII: isASCII) }
          #expect(end == (isPlain ? text.count : place), "\(special) at \(place) from \(start)")
        }
      }
    }
  }

  @Test("Neighbors of a special byte do not change where a plain part ends")
  func neighbors() {
    let bytes: [UInt8] = [0x00, 0x1F, 0x20, 0x21, 0x22, 0x23, 0x5B, 0x5C, 0x5D, 0x7F, 0x80, 0xFF]
    for first in bytes {
      for second in bytes {
        let text: [UInt8] = [0x61, first, second, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61]
        let end = text.withUnsafeBufferPointer { JSONString.endOfPlainPart(in: $0, from: 0, isASCII: true) }
        let expected = text.firstIndex { !(0x20..<0x80).contains($0) || $0 == 0x22 || $0 == 0x5C }
        #expect(end == expected ?? text.count, "\(first), \(second)")
      }
    }
  }
}
