import Foundation
import MarqueeFiles
import MarqueeJournal

/// Detection of damage when a store is opened, without reading the whole file.
extension Store {
  static let headerSize = 100
  static let magic = Data("SQLite format 3\0".utf8)

  /// Checks that the file is not missing or truncated, and that SQLite would not drop durable frames of the WAL.
  ///
  /// - Parameters:
  ///   - file: The database file.
  ///   - isExpected: Whether the directory has contained a store.
  /// - Throws: ``JournalError`` `corrupt` or `ioFailed`.
  static func checkFile(of file: String, isExpected: Bool) throws(JournalError) {
    let header = try start(of: file, count: headerSize)
    guard header?.isEmpty == false || !isExpected else {
      throw JournalError(.corrupt, "the database file is missing or empty")
    }
    guard header?.starts(with: magic) == true || !isExpected else {
      throw JournalError(.corrupt, "the database file has no SQLite header")
    }
    // A file that is being created has only its first page, and contains no data yet: SQLite may recover from whatever
    // a power failure has left of it and of the WAL.
    if !isExpected, let header, header.count == headerSize, try size(of: file) <= pageSize(header) { return }
    if let wal = try WALFile(of: file) {
      guard !wal.isDamaged else { throw WALFile.damaged }
      // Pages that are only in the WAL are not missing.
      return
    }
    guard let header, header.count == headerSize else { return }
    let (size, pageCount, pageSize) = (try size(of: file), number(header, 28, 4), pageSize(header))
    guard size >= pageCount * pageSize else {
      throw JournalError(
        .corrupt, "the database file is truncated: \(size) bytes, but \(pageCount) pages of \(pageSize) bytes")
    }
  }

  /// Returns the first bytes of a file, fewer if the file is shorter, or `nil` if there is no file.
  static func start(of file: String, count: Int) throws(JournalError) -> Data? {
    guard FileManager.default.fileExists(atPath: file) else { return nil }
    do {
      let handle = FileHandle(fileDescriptor: try CheckedFile.open(file), closeOnDealloc: true)
      return try handle.read(upToCount: count) ?? Data()
    } catch let error as FileError {
      throw JournalError(.ioFailed, "the database file: \(error)", cause: error)
    } catch {
      throw JournalError(error, while: "reading the database file's header")
    }
  }

  private static func size(of file: String) throws(JournalError) -> Int {
    var status = stat()
    guard stat(file, &status) == 0 else { throw .system(errno, while: "reading the status of the database file") }
    return Int(status.st_size)
  }

  /// Returns whether the header marks the database as in WAL mode, so that the file alone may lack transactions.
  static func usesWAL(_ header: Data) -> Bool {
    header.count == headerSize && (header[18] == 2 || header[19] == 2)
  }

  private static func pageSize(_ header: Data) -> Int {
    let size = number(header, 16, 2)
    // The value 1 represents a page size of 65,536 bytes.
    return size == 1 ? 65_536 : size
  }

  private static func number(_ bytes: Data, _ offset: Int, _ count: Int) -> Int {
    bytes[offset..<offset + count].reduce(0) { $0 << 8 | Int($1) }
  }
}

extension JournalError {
  /// The error with instructions for the operator, if the store is corrupt.
  var withAdvice: JournalError {
    guard code == .corrupt else { return self }
    let advice =
      "the data directory was not modified. Keep a copy of it; `marqueed verify` lists the damage, "
      + "`marqueed restore` restores a backup"
    return JournalError(code, "\(message): \(advice)", device: device, sequence: sequence, cause: cause)
  }
}
