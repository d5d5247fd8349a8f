import GRDB
import GRDBSQLite

/// Joins what a connection adds to SQLite's log, so that the system is asked to write once for many pages in place of
/// twice for each.
///
/// What continues what was added before is kept until SQLite flushes the log, which it does before a commit counts, and
/// until it looks at the file or adds elsewhere. So all is in the file when it has to be, in the same order; and other
/// connections look at no page of the log before its commit counts. A write that fails is told of with the one, or the
/// flush, that it was kept for: SQLite gives up the transaction then as it does otherwise.
struct LogBuffer {
  /// Bytes that are kept, at most: SQLite's own files take fewer than 131 072 at once.
  private static let sizeMax = 65_536

  /// What SQLite calls in place of the file's own methods; the first member, by which a file leads to its buffer.
  private var methods: sqlite3_io_methods
  private let original: UnsafePointer<sqlite3_io_methods>
  private let bytes = UnsafeMutableRawPointer.allocate(byteCount: sizeMax, alignment: 8)
  private var count = 0
  /// Where the first of the bytes belongs.
  private var offset: sqlite3_int64 = 0

  /// Joins what the connection adds from now on, until it closes the log, which it must have open.
  static func attach(to db: Database) throws(StoreError) {
    precondition(MemoryLayout<LogBuffer>.offset(of: \.methods) == 0, "a buffer that does not begin with its methods")
    var file: UnsafeMutablePointer<sqlite3_file>?
    let code = sqlite3_file_control(db.sqliteConnection, "main", SQLITE_FCNTL_JOURNAL_POINTER, &file)
    guard code == SQLITE_OK, let file, let original = file.pointee.pMethods else {
      throw StoreError(.ioFailed, "the log is not open")
    }
    let buffer = UnsafeMutablePointer<LogBuffer>.allocate(capacity: 1)
    buffer.initialize(to: LogBuffer(over: original))
    file.pointee.pMethods = UnsafeRawPointer(buffer).assumingMemoryBound(to: sqlite3_io_methods.self)
  }

  private init(over original: UnsafePointer<sqlite3_io_methods>) {
    self.original = original
    methods = original.pointee
    methods.xWrite = { file, bytes, count, offset in
      LogBuffer.of(file).pointee.add(bytes, Int(count), at: offset, file)
    }
    methods.xSync = { file, flags in
      let code = LogBuffer.of(file).pointee.flushOrDrop(file)
      return code == SQLITE_OK ? LogBuffer.of(file).pointee.original.pointee.xSync(file, flags) : code
    }
    methods.xRead = { file, bytes, count, offset in
      let code = LogBuffer.of(file).pointee.flush(file)
      return code == SQLITE_OK ? LogBuffer.of(file).pointee.original.pointee.xRead(file, bytes, count, offset) : code
    }
    methods.xTruncate = { file, size in
      let code = LogBuffer.of(file).pointee.flush(file)
      return code == SQLITE_OK ? LogBuffer.of(file).pointee.original.pointee.xTruncate(file, size) : code
    }
    methods.xFileSize = { file, size in
      let code = LogBuffer.of(file).pointee.flush(file)
      return code == SQLITE_OK ? LogBuffer.of(file).pointee.original.pointee.xFileSize(file, size) : code
    }
    methods.xClose = { file in
      // What is kept now belongs to no commit.
      let buffer = LogBuffer.of(file)
      let original = buffer.pointee.original
      file?.pointee.pMethods = original
      buffer.pointee.bytes.deallocate()
      buffer.deallocate()
      return original.pointee.xClose(file)
    }
  }

  private static func of(_ file: UnsafeMutablePointer<sqlite3_file>?) -> UnsafeMutablePointer<LogBuffer> {
    guard let methods = file?.pointee.pMethods else { preconditionFailure("a log without its buffer") }
    return UnsafeMutableRawPointer(mutating: methods).assumingMemoryBound(to: LogBuffer.self)
  }

  private mutating func add(
    _ added: UnsafeRawPointer?, _ addedCount: Int, at addedOffset: sqlite3_int64,
    _ file: UnsafeMutablePointer<sqlite3_file>?
  ) -> CInt {
    if addedOffset != offset + sqlite3_int64(count) || count + addedCount > Self.sizeMax {
      let code = flushOrDrop(file)
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

  /// Writes what is kept, which is kept on when that fails.
  private mutating func flush(_ file: UnsafeMutablePointer<sqlite3_file>?) -> CInt {
    guard count > 0 else { return SQLITE_OK }
    let code = original.pointee.xWrite(file, bytes, CInt(count), offset)
    if code == SQLITE_OK { count = 0 }
    return code
  }

  /// Writes what is kept for whoever gives it up when that fails.
  private mutating func flushOrDrop(_ file: UnsafeMutablePointer<sqlite3_file>?) -> CInt {
    defer { count = 0 }
    return flush(file)
  }
}
