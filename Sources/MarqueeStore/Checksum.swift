import MarqueeModel
import MarqueeScheduler

/// FNV-1a of 64 bits over a row's key and bytes.
///
/// SQLite does not notice a page that the disk changed, and bytes that decode may still be other bytes than those
/// written. Every step is a bijection of the sum, so a single wrong byte is always found. It is no defence against
/// an author who means harm. (Fowler, Noll, Vo.)
struct Checksum {
  private var sum: UInt64 = 0xcbf2_9ce4_8422_2325

  private mutating func add(_ byte: UInt8) {
    sum = (sum ^ UInt64(byte)) &* 0x100_0000_01b3
  }

  private mutating func add(_ number: Int64) {
    for shift in stride(from: 0, to: 64, by: 8) { add(UInt8(truncatingIfNeeded: number >> Int64(shift))) }
  }

  /// The sum of `bytes` stored for a device's row under `sequence` with the instant `at`.
  static func of(_ bytes: [UInt8], device: Int64, sequence: Int64, at: Int64) -> Int64 {
    var checksum = Checksum()
    for number in [device, sequence, at] { checksum.add(number) }
    for byte in bytes { checksum.add(byte) }
    return Int64(bitPattern: checksum.sum)
  }

  /// The sum of a policy's bytes, by which two are told apart.
  static func of(_ policy: Policy) -> Int64 { of(policy.encoded, device: 0, sequence: 0, at: 0) }
}
