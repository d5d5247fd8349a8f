/// An address of IPv4 or IPv6. An IPv4 address in the IPv6 form `::ffff:a.b.c.d`, in which a socket for both versions
/// reports it, is equal to the IPv4 address.
struct IPAddress: Hashable {
  private static let mappedPrefix = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]

  /// Four or sixteen bytes.
  private let bytes: [UInt8]

  /// Creates an address from its text, without brackets; `nil` for any other text. A zone after `%` is ignored.
  init?(_ text: String) {
    let address = text.prefix { $0 != "%" }
    guard address.contains(":") else {
      guard let bytes = Self.version4(address) else { return nil }
      self.bytes = bytes
      return
    }
    guard let bytes = Self.version6(address) else { return nil }
    self.bytes = bytes.starts(with: Self.mappedPrefix) ? Array(bytes.dropFirst(12)) : bytes
  }

  /// Returns the four bytes of numbers without leading zeros.
  private static func version4(_ text: Substring) -> [UInt8]? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 4 else { return nil }
    var bytes: [UInt8] = []
    for part in parts {
      guard let byte = UInt8(part), String(byte) == part else { return nil }
      bytes.append(byte)
    }
    return bytes
  }

  private static func version6(_ text: Substring) -> [UInt8]? {
    var parts = text.split(separator: ":", omittingEmptySubsequences: false)
    // At either end, `::` leaves two empty parts, and a single colon is an error.
    if text.hasPrefix("::") { parts.removeFirst() } else if text.hasPrefix(":") { return nil }
    if text.hasSuffix("::") { parts.removeLast() } else if text.hasSuffix(":") { return nil }
    var bytes: [UInt8] = []
    var gap: Int?
    for (index, part) in parts.enumerated() {
      if part.isEmpty {
        guard gap == nil else { return nil }
        gap = bytes.count
      } else if index == parts.count - 1, let last = version4(part) {
        bytes += last
      } else {
        guard part.utf8.count <= 4, part.allSatisfy(\.isHexDigit), let group = UInt16(part, radix: 16) else {
          return nil
        }
        bytes += [UInt8(group >> 8), UInt8(group & 0xFF)]
      }
    }
    guard let gap else { return bytes.count == 16 ? bytes : nil }
    guard bytes.count <= 14 else { return nil }
    bytes.insert(contentsOf: [UInt8](repeating: 0, count: 16 - bytes.count), at: gap)
    return bytes
  }
}
