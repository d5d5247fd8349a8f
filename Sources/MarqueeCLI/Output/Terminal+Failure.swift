import Foundation
import MarqueeTerminal

extension Terminal {
  /// Writes a line to standard error, prefixed by the program's name.
  func warn(_ text: String) { writeError(["marquee: \(text)"]) }

  /// Reports a failure, as text or as JSON, and exits.
  func fail(_ failure: CommandFailure, isJSON: Bool) -> Never {
    if isJSON { writeError(failure.json) } else { writeError(["marquee: \(failure.message)"] + failure.hints) }
    exit(failure.status.rawValue)
  }
}
