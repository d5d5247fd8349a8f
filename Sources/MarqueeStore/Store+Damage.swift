import Foundation

/// What can be told of a damaged file without reading all of it.
extension Store {
  private static let headerSize = 100
  private static let beginning = Data("SQLite format 3\0".utf8)

  /// Refuses a file that is gone or ends before its last page, and a log of which SQLite would drop the end.
  static func checkEnds(of file: String, isExpected: Bool) throws(StoreError) {
    let header = try start(of: file, count: headerSize)
    guard header?.isEmpty == false || !isExpected else {
      throw StoreError(.corrupt, "the file, which was there, is missing or empty")
    }
    guard header?.starts(with: beginning) == true || !isExpected else {
      throw StoreError(.corrupt, "the file does not begin like a database")
    }
    // A file that is being made has its first page alone, and nothing counts until it has more: whatever a power cut
    // left of that and of the log, SQLite may go on from.
    if !isExpected, let header, header.count == headerSize, try size(of: file) <= pageSize(header) { return }
    if let log = try LogFile(of: file) {
      guard !log.isDamaged else {
        throw StoreError(.corrupt, "the log is damaged before transactions that were durable")
      }
      // Pages that are in the log alone are not missing.
      return
    }
    guard let header, header.count == headerSize else { return }
    let (size, pageCount, pageSize) = (try size(of: file), number(header, 28, 4), pageSize(header))
    guard size >= pageCount * pageSize else {
      throw StoreError(.corrupt, "the file has \(size) bytes, but \(pageCount) pages of \(pageSize)")
    }
  }

  /// The first bytes of a file, fewer when it is shorter; `nil` when there is none.
  private static func start(of file: String, count: Int) throws(StoreError) -> Data? {
    guard FileManager.default.fileExists(atPath: file) else { return nil }
    do {
      let handle = try FileHandle(forReadingFrom: URL(filePath: file))
      defer { handle.closeFile() }
      return try handle.read(upToCount: count) ?? Data()
    } catch {
      throw StoreError(error, while: "reading the file's header")
    }
  }

  private static func size(of file: String) throws(StoreError) -> Int {
    var status = stat()
    guard stat(file, &status) == 0 else { throw .system(errno, while: "looking at the file") }
    return Int(status.st_size)
  }

  private static func pageSize(_ header: Data) -> Int {
    let size = number(header, 16, 2)
    // A size of 1 stands for 65 536.
    return size == 1 ? 65_536 : size
  }

  private static func number(_ bytes: Data, _ offset: Int, _ count: Int) -> Int {
    bytes[offset..<offset + count].reduce(0) { $0 << 8 | Int($1) }
  }
}

extension StoreError {
  /// The error, with what to do about a damaged file.
  var withAdvice: StoreError {
    guard code == .corrupt else { return self }
    let advice =
      "nothing was changed. Keep a copy of the data directory; `marquee verify` says what is damaged, "
      + "`marquee restore` puts a backup in its place"
    return StoreError(code, "\(message): \(advice)", device: device, sequence: sequence, cause: cause)
  }
}
