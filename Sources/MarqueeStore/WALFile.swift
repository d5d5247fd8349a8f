import Foundation
import MarqueeFiles
import MarqueeJournal

/// The bytes of a WAL, to detect damage before SQLite recovers it.
///
/// During recovery, SQLite ends the WAL at the first frame with a wrong checksum, because a crash during a transaction
/// leaves such frames. A frame that was damaged later looks the same, and all commits after it would be lost silently.
/// But the frames of a transaction are written only after the previous commit has been flushed, and their checksums
/// continue from its last frame. So if a commit frame after an invalid frame is followed by a frame that continues its
/// checksum, the invalid frame had been flushed too, and is damaged. If the invalid frame itself looks like a commit
/// frame, its header may have been written only partly, in front of frames of an incomplete transaction; it counts as
/// damaged only if the next transaction is complete.
/// (The format: https://www.sqlite.org/fileformat2.html, 4 The Write-Ahead Log.)
///
/// Damage to the last transaction cannot be distinguished from an incomplete transaction.
struct WALFile {
  private static let headerSize = 32
  private static let frameHeaderSize = 24

  /// The error for a WAL that is damaged.
  static var damaged: JournalError { JournalError(.corrupt, "the WAL is damaged before durable transactions") }

  private let bytes: Data

  /// Reads the WAL of a database. `nil` if it does not exist or is empty.
  init?(of database: String) throws(JournalError) {
    let path = database + "-wal"
    guard FileManager.default.fileExists(atPath: path) else { return nil }
    do {
      try CheckedFile.check(path)
      bytes = try Data(contentsOf: URL(filePath: path), options: .mappedIfSafe)
    } catch {
      throw JournalError(error, while: "reading the WAL")
    }
    guard !bytes.isEmpty else { return nil }
  }

  /// Whether the WAL is damaged before durable transactions.
  var isDamaged: Bool {
    bytes.withUnsafeBytes { bytes in
      guard bytes.count > Self.headerSize else { return false }
      guard let header = Self.header(bytes) else {
        // The header is flushed before the first frame is written.
        return bytes[Self.headerSize...].contains { $0 != 0 } && !Self.isRestartTorn(bytes)
      }
      return Self.isDamaged(bytes, header)
    }
  }

  /// The contents of a valid WAL header.
  private struct Header {
    let pageSize: Int
    let isBigEndian: Bool
    let salt: UInt64
    let checksum: FrameChecksum
  }

  /// SQLite's cumulative checksum of the header and the frames.
  private struct FrameChecksum: Equatable {
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

  private static func stored(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> FrameChecksum {
    FrameChecksum(first: number(bytes, offset), second: number(bytes, offset + 4))
  }

  private static func header(_ bytes: UnsafeRawBufferPointer) -> Header? {
    let (magic, pageSize) = (number(bytes, 0), Int(number(bytes, 8)))
    guard magic & ~1 == 0x377F_0682 else { return nil }
    guard (512...65_536).contains(pageSize), pageSize.nonzeroBitCount == 1 else { return nil }
    let isBigEndian = magic & 1 == 1
    var checksum = FrameChecksum()
    checksum.add(bytes[..<24], isBigEndian: isBigEndian)
    guard checksum == stored(bytes, 24) else { return nil }
    let salt = bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self)
    return Header(pageSize: pageSize, isBigEndian: isBigEndian, salt: salt, checksum: checksum)
  }

  /// Returns whether the header was written only partly when the WAL restarted. All frames were checkpointed then.
  ///
  /// The checkpoint sequence number and the first half of the salt are incremented at each restart.
  private static func isRestartTorn(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard bytes.count >= headerSize + frameHeaderSize else { return true }
    if number(bytes, 16) == number(bytes, headerSize + 8) &+ 1 { return true }
    var header = Array(bytes[..<headerSize])
    withUnsafeBytes(of: (number(bytes, 12) &- 1).bigEndian) { header.replaceSubrange(12..<16, with: $0) }
    return header.withUnsafeBytes { Self.header($0) != nil }
  }

  private static func isDamaged(_ bytes: UnsafeRawBufferPointer, _ header: Header) -> Bool {
    let size = frameHeaderSize + header.pageSize
    let count = (bytes.count - headerSize) / size
    /// Returns whether the frame belongs to this WAL and continues the checksum.
    func continues(_ index: Int, _ checksum: inout FrameChecksum) -> Bool {
      let offset = headerSize + index * size
      guard bytes.loadUnaligned(fromByteOffset: offset + 8, as: UInt64.self) == header.salt else { return false }
      checksum.add(bytes[offset..<offset + 8], isBigEndian: header.isBigEndian)
      checksum.add(bytes[(offset + frameHeaderSize)..<(offset + size)], isBigEndian: header.isBigEndian)
      return checksum == stored(bytes, offset + 16)
    }
    var checksum = header.checksum
    guard let invalid = (0..<count).first(where: { !continues($0, &checksum) }) else { return false }
    func isCommit(_ index: Int) -> Bool { number(bytes, headerSize + index * size + 4) > 0 }
    return (invalid..<count).contains { index in
      guard isCommit(index) else { return false }
      var checksum = stored(bytes, headerSize + index * size + 16)
      let next = (index + 1..<count).prefix { continues($0, &checksum) }
      return index > invalid ? !next.isEmpty : next.contains(where: isCommit)
    }
  }
}
