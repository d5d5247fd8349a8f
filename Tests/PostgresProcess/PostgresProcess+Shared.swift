import Synchronization

extension PostgresProcess {
  private static let first = Mutex<Result<PostgresProcess, any Error>?>(nil)

  /// Returns the server that the tests of this process share.
  ///
  /// Its ``Janitor`` stops and removes it after this process has ended, which does not wait: on a disk that is trimmed
  /// with each deletion, to remove the files of hundreds of databases takes long.
  package static func shared() throws -> PostgresProcess {
    try first.withLock { first in
      if let first { return try first.get() }
      let created = Result { try PostgresProcess() }
      first = created
      return try created.get()
    }
  }
}
