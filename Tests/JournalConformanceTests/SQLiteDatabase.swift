import MarqueeJournal
import MarqueeStore
import MarqueeTestSupport
import Synchronization

/// A data directory, whose files contain everything stored.
final class SQLiteDatabase: JournalDatabase {
  private let directory = StoreDirectory()
  private let store = Mutex<Store?>(nil)

  func open() throws -> any TableJournal {
    let opened = try Store(directory: directory.path)
    store.withLock { $0 = opened }
    return opened
  }

  func close() throws {
    let opened = store.withLock { store in
      defer { store = nil }
      return store
    }
    try opened?.close()
  }

  func verify() throws -> Verification { try Store.verify(directory.path) }

  func marks() throws -> Set<Int> { try Mark.numbers(in: directory.path) }

  func contains(_ text: String) throws -> Bool { try Mark.isText(text, in: directory.path) }
}
