import Logging
import MarqueeClient
import MarqueeRPC

extension Reconnection {
  /// Returns a reconnection that also logs the attempts that fail because the server is overloaded or its disk full.
  ///
  /// A lost connection is not logged: it is not an error of the app or the server.
  func logging(to logger: Logger) -> Reconnection {
    var copy = self
    copy.failed = { [failed] status in
      failed(status)
      guard status.code == .resourceExhausted else { return }
      logger.warning(
        "the server is overloaded or its disk full; trying again", metadata: ["error": "\(quoted(status))"])
    }
    return copy
  }
}
