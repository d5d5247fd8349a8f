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
      let bytes = [UInt8](try Data(contentsOf: URL(filePath: "\(path)/\(name)")))
      var rest = bytes[...]
      while let found = rest.firstIndex(of: UInt8(ascii: "m")) {
        rest = bytes[(found + 1)...]
        guard rest.starts(with: "4rk".utf8) else { continue }
        let digits = rest.dropFirst(3).prefix { (0x30...0x39).contains($0) }
        // A mark at a page boundary may be cut off and is ignored; the donation has other marks.
        guard bytes[digits.endIndex...].first == UInt8(ascii: ";") else { continue }
        guard let number = Int(String(decoding: digits, as: UTF8.self)) else {
          throw RequirementFailure("a mark without a number in \(name)")
        }
        counts[number, default: 0] += 1
      }
    }
    return counts
  }
}
