import Testing

@testable import MarqueeStore

@Suite struct ChecksumTests {
  private func checksum(_ bytes: [UInt8], _ number: Int64 = 7) -> Int64 {
    Checksum.of(bytes, device: 3, sequence: number, at: 11)
  }

  @Test("A single wrong byte always changes the checksum", arguments: 1...33)
  func bytes(count: Int) {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: 37 * $0 + count) }
    for index in bytes.indices {
      for difference in UInt8(1)...255 {
        var wrong = bytes
        wrong[index] ^= difference
        #expect(checksum(wrong) != checksum(bytes), "byte \(index) of \(count), by \(difference)")
      }
    }
  }

  @Test("Trailing zeros, the highest bits of adjacent words, and the key change the checksum")
  func others() {
    let bytes = [UInt8](repeating: 0, count: 24)
    #expect(Set((0...24).map { checksum(Array(bytes.prefix($0))) }).count == 25)
    var flipped = bytes
    flipped[7] = 0x80
    flipped[15] = 0x80
    #expect(checksum(flipped) != checksum(bytes))
    let checksums = [(3, 7, 12), (3, 8, 11), (4, 7, 11)].map { device, number, at in
      Checksum.of(bytes, device: device, sequence: number, at: at)
    }
    #expect(Set(checksums + [checksum(bytes)]).count == 4)
  }

  @Test("The checksums of stored rows never change: both formats are valid, and no other value is")
  func stored() {
    let bytes = Array("a timeline".utf8)
    #expect(checksum(bytes) == -5288952653663184340)
    #expect(Checksum.bytewise(bytes, device: 3, sequence: 7, at: 11) == -8814328243475229000)
    for (stored, isValid) in [(Int64(-5288952653663184340), true), (-8814328243475229000, true), (1, false)] {
      #expect(Checksum.isValid(stored, of: bytes, device: 3, sequence: 7, at: 11) == isValid)
    }
  }
}
