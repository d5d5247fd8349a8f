import Crypto
import Foundation
import MarqueeJournal

/// A key under which data keys are wrapped, of which the database has only the name.
struct KeyEncryptionKey: Sendable {
  /// The size in bytes.
  static let size = 32
  /// The number in the name of the last key that a directory can have.
  static let numberMax = 999_999

  /// The name of the key's file: six digits, in the order of creation, and eight random hexadecimal digits.
  let name: String
  private let key: SymmetricKey

  /// Creates a key from the bytes of its file.
  init(name: String, _ bytes: some Collection<UInt8> & ContiguousBytes) {
    precondition(bytes.count == Self.size, "a key of \(bytes.count) bytes")
    self.name = name
    key = SymmetricKey(data: bytes)
  }

  /// Returns the name of the key after `last`, the newest one.
  ///
  /// The random part distinguishes the keys of different directories.
  ///
  /// - Returns: The name, or `nil` if `last` has the number ``numberMax``.
  static func name(after last: String?) -> String? {
    let number = (last.flatMap { Int($0.prefix(6)) } ?? 0) + 1
    guard number <= numberMax else { return nil }
    let random = String(UInt32.random(in: 0...UInt32.max), radix: 16)
    func padded(_ text: String, _ count: Int) -> String { String(repeating: "0", count: count - text.count) + text }
    return "\(padded(String(number), 6))-\(padded(random, 8))"
  }

  /// Returns whether a file of this name may be a key.
  static func isName(_ name: String) -> Bool {
    let parts = name.split(separator: "-", omittingEmptySubsequences: false)
    return parts.count == 2 && parts[0].utf8.count == 6 && parts[1].utf8.count == 8
      && parts[0].utf8.allSatisfy { (0x30...0x39).contains($0) }
      && parts[1].utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
  }

  /// Returns the data key of a device, encrypted with AES-256-GCM, which authenticates the device and the generation.
  func wrap(_ dataKey: DataKey, of device: Int64) throws -> [UInt8] {
    try dataKey.withBytes { bytes in
      let box = try AES.GCM.seal(bytes, using: key, authenticating: Self.context(device, dataKey.generation))
      return [UInt8](box.nonce) + box.ciphertext + box.tag
    }
  }

  /// Returns the data key of a device, or `nil` if the bytes were altered, or were wrapped under another key.
  func unwrap(_ wrapped: [UInt8], of device: Int64, generation: Int64) -> DataKey? {
    // The error has no details: authentication failed.
    guard let box = try? AES.GCM.SealedBox(combined: wrapped),
      var bytes = try? AES.GCM.open(box, using: key, authenticating: Self.context(device, generation))
    else { return nil }
    defer { bytes.resetBytes(in: bytes.startIndex..<bytes.endIndex) }
    return DataKey(generation: generation, bytes)
  }

  private static func context(_ device: Int64, _ generation: Int64) -> [UInt8] {
    [UInt8]("data key".utf8)
      + [device, generation].flatMap { value in withUnsafeBytes(of: value.bigEndian) { [UInt8]($0) } }
  }
}
