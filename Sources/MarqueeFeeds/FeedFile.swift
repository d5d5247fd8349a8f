import Foundation

/// Reads a feed's file, whole and bounded.
enum FeedFile {
  /// The bytes of the file, never more than `sizeMax`, whatever the file's size is said to be.
  static func bytes(path: String, sizeMax: Int) throws(FeedError) -> [UInt8] {
    guard let file = FileHandle(forReadingAtPath: path) else {
      throw FeedError(.unreadable, "the file cannot be opened")
    }
    let data: Data
    do {
      data = try file.read(upToCount: sizeMax + 1) ?? Data()
    } catch {
      throw FeedError(.unreadable, "the file cannot be read")
    }
    guard data.count <= sizeMax else {
      throw FeedError(.limitExceeded, "a file of more than \(sizeMax) bytes")
    }
    return [UInt8](data)
  }
}
