import Foundation
import MarqueeFiles

/// Reads a feed's file with a size limit.
package enum FeedFile {
  /// Returns the bytes of the file, reading at most `sizeMax` even if the file grows or reports a wrong size.
  package static func bytes(path: String, sizeMax: Int) throws(FeedError) -> [UInt8] {
    let descriptor: Int32
    do {
      descriptor = try CheckedFile.open(path, acceptsInherited: true)
    } catch {
      throw FeedError(.unreadable, "\(error)")
    }
    let data: Data
    do {
      let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
      data = try file.read(upToCount: sizeMax + 1) ?? Data()
    } catch {
      throw FeedError(.unreadable, "cannot read the file")
    }
    guard data.count <= sizeMax else {
      throw FeedError(.limitExceeded, "the file is too large (maximum: \(sizeMax) bytes)")
    }
    return [UInt8](data)
  }
}
