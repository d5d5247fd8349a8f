import Logging

/// A log handler that passes the server's log to a world's listener.
struct StoryLogHandler: LogHandler {
  let world: World
  var metadata: Logger.Metadata = [:]
  var logLevel = Logger.Level.warning

  init(_ world: World) {
    self.world = world
  }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    let details = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
    world.log("\(event.level): \(event.message)\(details)")
  }
}
