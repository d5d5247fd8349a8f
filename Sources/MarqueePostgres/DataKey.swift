import Crypto
import Foundation
import MarqueeJournal

/// The key under which the rows of one device are sealed, until the next deletion of something of the device.
///
/// Sealing is AES-256-GCM with a random nonce. The key of a row is authenticated with it, so that a sealed row cannot
/// take the place of another one. A sealed row has these bytes:
///
/// | bytes | content |
/// |---|---|
/// | 4 | the generation of the data key, big-endian |
/// | 12 | the nonce |
/// | 8 | encrypted: the row's checksum, big-endian |
/// | 1, and its value | encrypted: the length of the name of the decision's stack (0 in other rows), and the name |
/// | rest | encrypted: the row's bytes |
/// | 16 | the authentication tag |
///
/// The checksum is that of the plain bytes, so it is not stored beside them: it would confirm a guess of them.
package struct DataKey: Sendable {
  /// The size of both keys together, in bytes.
  static let size = 64
  /// The number of bytes that a sealed row without a stack has besides the row's own.
  static let overhead = 4 + 12 + 8 + 1 + 16
  /// The maximum length of the name of a stack.
  static let stackSizeMax = 255

  /// The number of the key among those that the device has had, from 1.
  let generation: Int64
  private let key: SymmetricKey
  private let tagKey: SymmetricKey

  /// Creates a random key.
  init(generation: Int64) {
    self.generation = generation
    key = SymmetricKey(size: .bits256)
    tagKey = SymmetricKey(size: .bits256)
  }

  /// Creates a key from the bytes of both keys.
  init?(generation: Int64, _ bytes: Data) {
    guard bytes.count == Self.size else { return nil }
    self.generation = generation
    key = SymmetricKey(data: bytes.prefix(Self.size / 2))
    tagKey = SymmetricKey(data: bytes.dropFirst(Self.size / 2))
  }

  /// Calls `body` with the bytes of both keys, which are overwritten afterwards.
  func withBytes<Value>(_ body: (UnsafeRawBufferPointer) throws -> Value) rethrows -> Value {
    var bytes = [UInt8](repeating: 0, count: Self.size)
    defer { bytes.erase() }
    bytes.withUnsafeMutableBytes { target in
      key.withUnsafeBytes { target.copyBytes(from: $0) }
      tagKey.withUnsafeBytes { source in
        UnsafeMutableRawBufferPointer(rebasing: target[source.count...]).copyBytes(from: source)
      }
    }
    return try bytes.withUnsafeBytes(body)
  }

  /// Returns the generation of the key that sealed a row, or `nil` if the bytes are no sealed row.
  static func generation(of sealed: [UInt8]) -> Int64? {
    guard sealed.count >= overhead else { return nil }
    return sealed.prefix(4).reduce(0) { $0 << 8 | Int64($1) }
  }

  /// Returns a row's content sealed.
  func seal(_ row: SealedRow) throws -> [UInt8] {
    var content: [UInt8] = []
    let stack = row.stack.map { Array($0.utf8.prefix(Self.stackSizeMax)) } ?? []
    content.reserveCapacity(9 + stack.count + row.bytes.count)
    for shift in stride(from: 56, through: 0, by: -8) {
      content.append(UInt8(truncatingIfNeeded: row.checksum >> Int64(shift)))
    }
    content.append(UInt8(stack.count))
    content += stack
    content += row.bytes
    defer { content.erase() }
    let box = try AES.GCM.seal(content, using: key, authenticating: row.key.bytes(generation))
    var sealed: [UInt8] = []
    sealed.reserveCapacity(content.count + 4 + 12 + 16)
    for shift in stride(from: 24, through: 0, by: -8) {
      sealed.append(UInt8(truncatingIfNeeded: generation >> Int64(shift)))
    }
    sealed += box.nonce
    sealed += box.ciphertext
    sealed += box.tag
    return sealed
  }

  /// Returns the row that was sealed under this key, or `nil` if the bytes were altered, or are those of another row.
  func open(_ sealed: [UInt8], _ rowKey: SealedRow.Key) -> SealedRow? {
    guard Self.generation(of: sealed) == generation else { return nil }
    // The error has no details: authentication failed.
    guard let box = try? AES.GCM.SealedBox(combined: sealed[4...]),
      var content = try? AES.GCM.open(box, using: key, authenticating: rowKey.bytes(generation)), content.count >= 9
    else { return nil }
    defer { content.resetBytes(in: content.startIndex..<content.endIndex) }
    let checksum = content.prefix(8).reduce(0 as Int64) { $0 << 8 | Int64($1) }
    let stackSize = Int(content[content.startIndex + 8])
    guard content.count >= 9 + stackSize else { return nil }
    let rest = content.dropFirst(9)
    let stack = stackSize == 0 ? nil : String(decoding: rest.prefix(stackSize), as: UTF8.self)
    return SealedRow(rowKey, [UInt8](rest.dropFirst(stackSize)), checksum: checksum, stack: stack)
  }

  /// Returns the tag by which the decisions of a stack are selected, which does not tell the stack without the key.
  func tag(ofStack name: String) -> Int64 {
    HMAC<SHA256>.authenticationCode(for: Array(name.utf8), using: tagKey).prefix(8).reduce(0) { $0 << 8 | Int64($1) }
  }
}

extension [UInt8] {
  /// Overwrites the bytes, which this array must own alone.
  mutating func erase() {
    withUnsafeMutableBytes { bytes in
      // Not removed by the optimizer, unlike stores to memory that is not read again.
      if let start = bytes.baseAddress { explicit_bzero(start, bytes.count) }
    }
  }
}
