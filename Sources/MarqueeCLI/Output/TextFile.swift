import Foundation
import MarqueeFiles

/// Reads text files for commands.
enum TextFile {
  /// The reason why a file cannot be read as text.
  struct Failure: Error {
    let message: String
  }

  /// Returns the text of a file, reading at most `sizeMax` bytes even if the file grows or reports a wrong size.
  static func text(path: String, sizeMax: Int) throws(Failure) -> String {
    let data: Data
    do {
      data = try CheckedFile.bytes(of: path, sizeMax: sizeMax, acceptsInherited: true)
    } catch {
      throw Failure(message: "\(error)")
    }
    guard let text = String(data: data, encoding: .utf8) else { throw Failure(message: "not UTF-8") }
    return text
  }
}
