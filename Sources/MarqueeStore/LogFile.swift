import Foundation

/// SQLite's write-ahead log as bytes, before SQLite reads it.
///
/// SQLite takes the log to end where a frame's checksum is wrong: that is what a crash leaves of a transaction that was
/// not finished. A frame that was damaged later looks the same, and all that was committed after it would be lost
/// without a word. But the next transaction's frames are written only after a commit has been flushed, and their
/// checksums continue its own: where a commit after a wrong frame is continued, the wrong frame had been flushed too.
/// That the wrong frame is a commit itself may be all that was written of its header, in front of what a transaction
/// left that never ended: it counts where the next transaction has ended.
/// (The format: https://www.sqlite.org/fileformat2.html, 4 The Write-Ahead Log.)
///
/// What this cannot see is damage to the last transaction of a log that has ended.
struct LogFile {
  private static let headerSize = 32
  private static let frameHeaderSize = 24

  private let bytes: Data

  /// Reads the log of a database; `nil` when there is none, or it is empty.
  init?(of database: String) throws(StoreError) {
    let path = database + "-wal"
    guard FileManager.default.fileExists(atPath: path) else { return nil }
    do {
      bytes = try Data(contentsOf: URL(filePath: path), options: .mappedIfSafe)
    } catch {
      throw StoreError(error, while: "reading the log")
    }
    guard !bytes.isEmpty else { return nil }
  }

  /// Whether transactions that were flushed come after a place that is damaged.
  var isDamaged: Bool {
    bytes.withUnsafeBytes { bytes in
      guard bytes.count > Self.headerSize else { return false }
      guard let start = Self.header(bytes) else {
        // A header is flushed before the first frame is written.
        return bytes[Self.headerSize...].contains { $0 != 0 } && !Self.isHalfRenewed(bytes)
      }
      return Self.isDamaged(bytes, start)
    }
  }

  /// Where the frames of a log begin.
  private struct Start {
    let pageSize: Int
    let isBigEndian: Bool
    let salt: UInt64
    let sum: Sum
  }

  /// SQLite's checksum of a log, which continues from frame to frame.
  private struct Sum: Equatable {
    var first: UInt32 = 0
    var second: UInt32 = 0

    mutating func add(_ bytes: UnsafeRawBufferPointer.SubSequence, isBigEndian: Bool) {
      let bytes = UnsafeRawBufferPointer(rebasing: bytes)
      for offset in stride(from: 0, to: bytes.count, by: 8) {
        let (left, right) = (
          bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self),
          bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
        )
        first &+= (isBigEndian ? UInt32(bigEndian: left) : UInt32(littleEndian: left)) &+ second
        second &+= (isBigEndian ? UInt32(bigEndian: right) : UInt32(littleEndian: right)) &+ first
      }
    }
  }

  private static func number(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt32 {
    UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
  }

  private static func stored(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> Sum {
    Sum(first: number(bytes, offset), second: number(bytes, offset + 4))
  }

  private static func header(_ bytes: UnsafeRawBufferPointer) -> Start? {
    let (magic, pageSize) = (number(bytes, 0), Int(number(bytes, 8)))
    guard magic & ~1 == 0x377F_0682 else { return nil }
    guard (512...65_536).contains(pageSize), pageSize.nonzeroBitCount == 1 else { return nil }
    let isBigEndian = magic & 1 == 1
    var sum = Sum()
    sum.add(bytes[..<24], isBigEndian: isBigEndian)
    guard sum == stored(bytes, 24) else { return nil }
    let salt = bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self)
    return Start(pageSize: pageSize, isBigEndian: isBigEndian, salt: salt, sum: sum)
  }

  /// Whether the header is that of a log that was to begin anew, of which only the front was written: all that the log
  /// had is in the file then. The number of the log and the first half of its salt count up each time.
  private static func isHalfRenewed(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard bytes.count >= headerSize + frameHeaderSize else { return true }
    if number(bytes, 16) == number(bytes, headerSize + 8) &+ 1 { return true }
    var header = Array(bytes[..<headerSize])
    withUnsafeBytes(of: (number(bytes, 12) &- 1).bigEndian) { header.replaceSubrange(12..<16, with: $0) }
    return header.withUnsafeBytes { Self.header($0) != nil }
  }

  private static func isDamaged(_ bytes: UnsafeRawBufferPointer, _ start: Start) -> Bool {
    let size = frameHeaderSize + start.pageSize
    let count = (bytes.count - headerSize) / size
    /// Whether the frame is of this log and continues the sum.
    func continues(_ index: Int, _ sum: inout Sum) -> Bool {
      let offset = headerSize + index * size
      guard bytes.loadUnaligned(fromByteOffset: offset + 8, as: UInt64.self) == start.salt else { return false }
      sum.add(bytes[offset..<offset + 8], isBigEndian: start.isBigEndian)
      sum.add(bytes[(offset + frameHeaderSize)..<(offset + size)], isBigEndian: start.isBigEndian)
      return sum == stored(bytes, offset + 16)
    }
    var sum = start.sum
    guard let wrong = (0..<count).first(where: { !continues($0, &sum) }) else { return false }
    func endsTransaction(_ index: Int) -> Bool { number(bytes, headerSize + index * size + 4) > 0 }
    return (wrong..<count).contains { index in
      guard endsTransaction(index) else { return false }
      var sum = stored(bytes, headerSize + index * size + 16)
      let next = (index + 1..<count).prefix { continues($0, &sum) }
      return index > wrong ? !next.isEmpty : next.contains(where: endsTransaction)
    }
  }
}
