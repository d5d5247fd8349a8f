import Logging

extension Logger {
  /// A logger that discards all messages.
  package static let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
}
