import Foundation

/// Files that commands read.
enum TextFile {
  /// Why a file has no text for us.
  struct Failure: Error {
    let message: String
  }

  /// The text of a file, never more than `sizeMax` bytes, whatever the file's size is said to be.
  static func text(path: String, sizeMax: Int) throws(Failure) -> String {
    guard let file = FileHandle(forReadingAtPath: path) else { throw Failure(message: "the file cannot be opened") }
    let data: Data
    do {
      data = try file.read(upToCount: sizeMax + 1) ?? Data()
    } catch {
      throw Failure(message: "the file cannot be read")
    }
    guard data.count <= sizeMax else { throw Failure(message: "a file of more than \(sizeMax) bytes") }
    guard let text = String(data: data, encoding: .utf8) else { throw Failure(message: "not UTF-8") }
    return text
  }
}
