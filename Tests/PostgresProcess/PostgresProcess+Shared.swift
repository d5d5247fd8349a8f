import Foundation
import Synchronization

extension PostgresProcess {
  private static let first = Mutex<Result<PostgresProcess, any Error>?>(nil)

  /// Returns the server that the tests of this process share. It is removed when the process ends.
  package static func shared() throws -> PostgresProcess {
    try first.withLock { first in
      if let first { return try first.get() }
      let created = Result { try PostgresProcess() }
      first = created
      // Waits for the removal, so that nothing is left when the process has ended.
      atexit { PostgresProcess.removeShared() }
      return try created.get()
    }
  }

  private static func removeShared() {
    // A server that could not be created has been removed.
    first.withLock { first in try? first?.get().remove() }
  }
}
