import MarqueeJournal
import Testing

@Suite struct ChecksumTests {
  private func checksum(_ bytes: [UInt8], _ number: Int64 = 7) -> Int64 {
    Checksum.of(bytes, device: 3, sequence: number, at: 11)
  }

  @Test("A single wrong byte changes the checksum", arguments: 1...33)
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

  @Test("The hash is XXH3, and the checksums of stored rows never change")
  func stored() {
    func hash(_ bytes: [UInt8], seed: UInt64 = 0) -> UInt64 { bytes.withUnsafeBytes { Checksum.hash($0, seed: seed) } }
    // Test vectors of xxHash.
    #expect(hash([]) == 0x2d06_8005_38d3_94c2)
    #expect(hash([], seed: 0x9e37_79b1_85eb_ca8d) == 0xa8a6_b918_b2f0_364a)
    #expect(hash([0]) == 0xc44b_dff4_074e_ecdb)
    #expect(checksum(Array("a timeline".utf8)) == -2486659676610481091)
  }

  @Test("SQLite stores every checksum in 8 bytes, so that a row that is overwritten does not grow")
  func width() {
    // One of 65,536 hashes takes fewer bytes.
    let narrow = (0..<1 << 19 as Range<Int64>).filter { (-1 << 47..<1 << 47).contains(checksum([], $0)) }
    #expect(narrow.isEmpty)
  }
}
