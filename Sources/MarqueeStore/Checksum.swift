import MarqueeModel
import MarqueeScheduler

/// A 64-bit checksum of a row's key and bytes.
///
/// SQLite does not detect a page that the disk has altered, and altered bytes may still decode. The checksum consumes
/// eight bytes per step, and every step is a bijection of the sum and of those eight bytes, so an error within them,
/// such as a single wrong byte, always changes the result. It does not protect against deliberate manipulation.
///
/// Rows from before format 5 have ``bytewise(_:device:sequence:at:)`` instead. The stored format does not record which
/// one a row has: either is accepted, which a corrupt row passes with a probability of 2^-64.
struct Checksum {
  private var sum: UInt64 = 0xcbf2_9ce4_8422_2325

  private mutating func add(_ word: UInt64) {
    sum = (sum ^ word) &* 0x9e37_79b9_7f4a_7c15
    // The low bits of a product do not depend on the high bits of its factors.
    sum ^= sum >> 32
  }

  /// Returns the checksum of a device's row with the given sequence, instant and bytes.
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

  /// Returns whether `sum` is the row's checksum, in the current or the earlier format.
  static func isValid(_ sum: Int64, of bytes: [UInt8], device: Int64, sequence: Int64, at: Int64) -> Bool {
    of(bytes, device: device, sequence: sequence, at: at) == sum
      || bytewise(bytes, device: device, sequence: sequence, at: at) == sum
  }

  /// Returns the checksum that identifies a policy. It has the earlier format, because devices are stored with it.
  static func of(_ policy: Policy) -> Int64 { bytewise(policy.encoded, device: 0, sequence: 0, at: 0) }

  /// Returns the value of the column `device.policy`: the policy's checksum XOR the wake.
  ///
  /// A row whose wake was altered therefore looks like a row of another policy, and is due at once.
  static func of(_ policy: Policy, wake: Int64?) -> Int64 { of(policy) ^ (wake ?? -1) }

  /// Returns the 64-bit FNV-1a hash (Fowler, Noll, Vo).
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
