import MarqueeModel
import MarqueeScheduler

/// A sum of 64 bits over a row's key and bytes.
///
/// SQLite does not notice a page that the disk changed, and bytes that decode may still be other bytes than those
/// written. Eight bytes are taken in at a time, and every step is a bijection of the sum and of those eight, so what is
/// wrong within them, a single byte above all, always gives another sum. It is no defence against an author who means
/// harm.
///
/// Rows from before format 5 have ``bytewise(_:device:sequence:at:)`` instead. Which one a row has is not written
/// anywhere: either will do, and a wrong row passes by the other one no more often than one in 2^64 times.
struct Checksum {
  private var sum: UInt64 = 0xcbf2_9ce4_8422_2325

  private mutating func add(_ word: UInt64) {
    sum = (sum ^ word) &* 0x9e37_79b9_7f4a_7c15
    // A product's low bits know nothing of its factors' high ones.
    sum ^= sum >> 32
  }

  /// The sum of `bytes` stored for a device's row under `sequence` with the instant `at`.
  static func of(_ bytes: [UInt8], device: Int64, sequence: Int64, at: Int64) -> Int64 {
    var checksum = Checksum()
    for number in [device, sequence, at, Int64(bytes.count)] { checksum.add(UInt64(bitPattern: number)) }
    bytes.withUnsafeBytes { bytes in
      let end = bytes.count & ~7
      for offset in stride(from: 0, to: end, by: 8) {
        checksum.add(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
      }
      checksum.add(bytes[end...].reversed().reduce(0) { $0 << 8 | UInt64($1) })
    }
    return Int64(bitPattern: checksum.sum)
  }

  /// Whether `sum` is the one of that row, in the present or the earlier form.
  static func isRight(_ sum: Int64, of bytes: [UInt8], device: Int64, sequence: Int64, at: Int64) -> Bool {
    of(bytes, device: device, sequence: sequence, at: at) == sum
      || bytewise(bytes, device: device, sequence: sequence, at: at) == sum
  }

  /// The sum of a policy's bytes, by which two are told apart; in the earlier form, since devices are stored with it.
  static func of(_ policy: Policy) -> Int64 { bytewise(policy.encoded, device: 0, sequence: 0, at: 0) }

  /// FNV-1a of 64 bits, byte by byte. (Fowler, Noll, Vo.)
  static func bytewise(_ bytes: [UInt8], device: Int64, sequence: Int64, at: Int64) -> Int64 {
    var sum: UInt64 = 0xcbf2_9ce4_8422_2325
    func add(_ byte: UInt8) { sum = (sum ^ UInt64(byte)) &* 0x100_0000_01b3 }
    for number in [device, sequence, at] {
      for shift in stride(from: Int64(0), to: 64, by: 8) { add(UInt8(truncatingIfNeeded: number >> shift)) }
    }
    for byte in bytes { add(byte) }
    return Int64(bitPattern: sum)
  }
}
