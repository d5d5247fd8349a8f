import GRDB
import GRDBSQLite
import MarqueeJournal

/// Coalesces a connection's WAL writes.
///
/// SQLite issues two `write` calls per frame. This buffers consecutive writes, and issues them when SQLite syncs the
/// WAL, which with `PRAGMA synchronous = FULL` it does before a commit takes effect, or when SQLite reads the file,
/// truncates it, asks for its size, or writes elsewhere. So every byte is in the file when it has to be, in the same
/// order, and other connections read no frame before its commit. A failed write is reported by the call that flushed
/// the buffer; SQLite then rolls the transaction back as after any failed write.
struct WALWriteCoalescer {
  /// The maximum number of buffered bytes. SQLite's own files accept fewer than 131,072 bytes per call.
  private static let sizeMax = 65_536

  /// The methods that SQLite calls instead of the file's own. Must be the first member: a file's pointer to its methods
  /// is also the pointer to its coalescer.
  private var methods: sqlite3_io_methods
  private let original: UnsafePointer<sqlite3_io_methods>
  private let bytes = UnsafeMutableRawPointer.allocate(byteCount: sizeMax, alignment: 8)
  private var count = 0
  /// The file offset of the first buffered byte.
  private var offset: sqlite3_int64 = 0

  /// The value of `PRAGMA synchronous` for `FULL`.
  private static let full = 2

  /// Installs a coalescer on the open WAL of a connection, until the connection closes the WAL.
  ///
  /// - Throws: ``JournalError`` `ioFailed` if the WAL is not open, or if SQLite does not sync it with each commit: the
  ///   commit would then be reported before its bytes are in the file.
  static func attach(to db: Database) throws {
    precondition(
      MemoryLayout<WALWriteCoalescer>.offset(of: \.methods) == 0, "methods must be the coalescer's first member")
    guard try Int.fetchOne(db, sql: "PRAGMA synchronous") ?? 0 >= full else {
      throw JournalError(.ioFailed, "the WAL is not synced with each commit")
    }
    var file: UnsafeMutablePointer<sqlite3_file>?
    let code = sqlite3_file_control(db.sqliteConnection, "main", SQLITE_FCNTL_JOURNAL_POINTER, &file)
    guard code == SQLITE_OK, let file, let original = file.pointee.pMethods else {
      throw JournalError(.ioFailed, "the WAL is not open")
    }
    let coalescer = UnsafeMutablePointer<WALWriteCoalescer>.allocate(capacity: 1)
    coalescer.initialize(to: WALWriteCoalescer(over: original))
    file.pointee.pMethods = UnsafeRawPointer(coalescer).assumingMemoryBound(to: sqlite3_io_methods.self)
  }

  private init(over original: UnsafePointer<sqlite3_io_methods>) {
    self.original = original
    methods = original.pointee
    methods.xWrite = { file, bytes, count, offset in
      WALWriteCoalescer.of(file).pointee.append(bytes, Int(count), at: offset, file)
    }
    methods.xSync = { file, flags in
      let code = WALWriteCoalescer.of(file).pointee.flushOrDiscard(file)
      return code == SQLITE_OK ? WALWriteCoalescer.of(file).pointee.original.pointee.xSync(file, flags) : code
    }
    methods.xRead = { file, bytes, count, offset in
      let code = WALWriteCoalescer.of(file).pointee.flush(file)
      guard code == SQLITE_OK else { return code }
      return WALWriteCoalescer.of(file).pointee.original.pointee.xRead(file, bytes, count, offset)
    }
    methods.xTruncate = { file, size in
      let code = WALWriteCoalescer.of(file).pointee.flush(file)
      return code == SQLITE_OK ? WALWriteCoalescer.of(file).pointee.original.pointee.xTruncate(file, size) : code
    }
    methods.xFileSize = { file, size in
      let code = WALWriteCoalescer.of(file).pointee.flush(file)
      return code == SQLITE_OK ? WALWriteCoalescer.of(file).pointee.original.pointee.xFileSize(file, size) : code
    }
    methods.xClose = { file in
      // Bytes that are still buffered belong to no commit.
      let coalescer = WALWriteCoalescer.of(file)
      let original = coalescer.pointee.original
      file?.pointee.pMethods = original
      coalescer.pointee.bytes.deallocate()
      coalescer.deallocate()
      return original.pointee.xClose(file)
    }
  }

  private static func of(_ file: UnsafeMutablePointer<sqlite3_file>?) -> UnsafeMutablePointer<WALWriteCoalescer> {
    guard let methods = file?.pointee.pMethods else { preconditionFailure("a WAL file without its coalescer") }
    return UnsafeMutableRawPointer(mutating: methods).assumingMemoryBound(to: WALWriteCoalescer.self)
  }

  private mutating func append(
    _ added: UnsafeRawPointer?, _ addedCount: Int, at addedOffset: sqlite3_int64,
    _ file: UnsafeMutablePointer<sqlite3_file>?
  ) -> CInt {
    if addedOffset != offset + sqlite3_int64(count) || count + addedCount > Self.sizeMax {
      let code = flushOrDiscard(file)
      guard code == SQLITE_OK else { return code }
    }
    guard let added, addedCount <= Self.sizeMax else {
      return original.pointee.xWrite(file, added, CInt(addedCount), addedOffset)
    }
    if count == 0 { offset = addedOffset }
    (bytes + count).copyMemory(from: added, byteCount: addedCount)
    count += addedCount
    return SQLITE_OK
  }

  /// Writes the buffer, and keeps it if the write fails.
  private mutating func flush(_ file: UnsafeMutablePointer<sqlite3_file>?) -> CInt {
    guard count > 0 else { return SQLITE_OK }
    let code = original.pointee.xWrite(file, bytes, CInt(count), offset)
    if code == SQLITE_OK { count = 0 }
    return code
  }

  /// Writes the buffer, and discards it if the write fails: SQLite abandons the transaction then.
  private mutating func flushOrDiscard(_ file: UnsafeMutablePointer<sqlite3_file>?) -> CInt {
    defer { count = 0 }
    return flush(file)
  }
}
