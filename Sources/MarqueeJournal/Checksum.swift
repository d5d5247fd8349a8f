import CLibXXHash
import MarqueeModel
import MarqueeScheduler

/// A 64-bit checksum of a row's key and bytes: the XXH3 hash of the bytes, whose seed is the XXH3 hash of the key.
///
/// A database may not detect a page that the disk has altered, and altered bytes may still decode. An altered row
/// passes with a probability of 2^-64. The checksum does not protect against deliberate manipulation.
public enum Checksum {
  /// The integers that SQLite stores in fewer than 8 bytes.
  private static let narrowIntegers: Range<Int64> = -1 << 47..<1 << 47

  /// Returns the checksum of a device's row with the given sequence, instant and bytes.
  ///
  /// Every checksum takes 8 bytes in a file of SQLite, so that a row that is overwritten in place does not grow.
  public static func of(_ bytes: [UInt8], device: Int64, sequence: Int64, at: Int64) -> Int64 {
    let seed = withUnsafeBytes(of: (device.littleEndian, sequence.littleEndian, at.littleEndian)) { hash($0) }
    let sum = Int64(bitPattern: bytes.withUnsafeBytes { hash($0, seed: seed) })
    return narrowIntegers.contains(sum) ? sum ^ 1 << 62 : sum
  }

  /// Returns the checksum that identifies a policy.
  public static func of(_ policy: Policy) -> Int64 { of(policy.identifyingBytes, device: 0, sequence: 0, at: 0) }

  /// Returns the checksum that a row of the wake schedule contains: the policy's checksum XOR the wake.
  ///
  /// A row whose wake was altered therefore looks like a row of another policy, and is due at once.
  public static func of(_ policy: Policy, wake: Int64?) -> Int64 { of(policy) ^ (wake ?? -1) }

  /// Returns the 64-bit XXH3 hash.
  public static func hash(_ bytes: UnsafeRawBufferPointer, seed: UInt64 = 0) -> UInt64 {
    XXH3_64bits_withSeed(bytes.baseAddress, bytes.count, seed)
  }
}
