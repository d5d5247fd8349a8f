import Logging
import Synchronization

/// The log messages of widget hosts, in order.
final class RemarkLog: Sendable {
  private let remarks = Mutex<[String]>([])

  /// All messages so far.
  var all: [String] { remarks.withLock(\.self) }

  /// A logger that records messages of level `notice` and above.
  var logger: Logger { Logger(label: "MarqueeKit") { _ in Handler(notes: self) } }

  private struct Handler: LogHandler {
    let notes: RemarkLog
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.notice

    subscript(metadataKey key: String) -> Logger.MetadataValue? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      let metadata = event.metadata ?? [:]
      let details = ["kind", "error"].compactMap { key in metadata[key].map { "\($0)" } }
      let text = ([event.message.description] + details).joined(separator: ": ")
      notes.remarks.withLock { $0.append(text) }
    }
  }
}
