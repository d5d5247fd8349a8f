import Foundation

/// A recognizable text with a number, for finding bytes in files.
package enum Mark {
  package static func text(_ number: Int) -> String { "m4rk\(number);" }

  /// Returns whether any file of a directory contains a text.
  package static func isText(_ text: String, in path: String) throws -> Bool {
    try FileManager.default.contentsOfDirectory(atPath: path).contains { name in
      try Data(contentsOf: URL(filePath: "\(path)/\(name)")).range(of: Data(text.utf8)) != nil
    }
  }

  /// Returns the numbers of all marks in the files of a directory.
  package static func numbers(in path: String) throws -> Set<Int> { Set(try counts(in: path).keys) }

  /// Returns the number of occurrences of each mark in the files of a directory.
  package static func counts(in path: String) throws -> [Int: Int] {
    var counts: [Int: Int] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: path) {
      let data = try Data(contentsOf: URL(filePath: "\(path)/\(name)"))
      try data.withUnsafeBytes { try count($0, of: name, in: &counts) }
    }
    return counts
  }

  /// Adds the number of occurrences of each mark in the bytes of a file.
  ///
  /// The functions of C search, because tests do so in many files, and are not optimized.
  private static func count(_ bytes: UnsafeRawBufferPointer, of name: String, in counts: inout [Int: Int]) throws {
    guard var position = bytes.baseAddress else { return }
    let end = position + bytes.count
    while let found = memchr(position, CInt(UInt8(ascii: "m")), end - position) {
      position = UnsafeRawPointer(found) + 1
      guard end - position >= 3, memcmp(position, "4rk", 3) == 0 else { continue }
      position += 3
      let digits = UnsafeRawBufferPointer(start: position, count: end - position).prefix { (0x30...0x39).contains($0) }
      position += digits.count
      // A mark at a page boundary may be cut off and is ignored; the donation has other marks.
      guard position < end, position.load(as: UInt8.self) == UInt8(ascii: ";") else { continue }
      guard let number = Int(String(decoding: digits, as: UTF8.self)) else {
        throw RequirementFailure("a mark without a number in \(name)")
      }
      counts[number, default: 0] += 1
    }
  }
}
