import Logging
import Synchronization

/// A log handler that records entries as text with metadata.
final class LogEntries: LogHandler {
  private let entries = Mutex<[String]>([])

  var texts: [String] { entries.withLock(\.self) }

  var metadata: Logger.Metadata {
    get { [:] }
    set {}
  }

  var logLevel: Logger.Level {
    get { .warning }
    set {}
  }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { nil }
    set {}
  }

  func log(event: LogEvent) {
    let details = (event.metadata ?? [:]).map { " \($0.key)=\($0.value)" }.joined()
    entries.withLock { $0.append("\(event.message)\(details)") }
  }
}
