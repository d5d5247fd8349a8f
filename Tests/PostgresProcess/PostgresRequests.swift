/// The messages that a client sends to PostgreSQL, as far as they tell where the commit of a lane's batch is.
///
/// The protocol is that of PostgreSQL's documentation, chapter 55.7: the first message has a length only, and others a
/// type before it.
struct PostgresRequests {
  enum Kind {
    /// The message that prepares the execution of the commit, and what follows it.
    case commit
    /// The end of the round trip of the commit.
    case commitEnd
    case other
  }

  /// Entire messages.
  struct Part {
    let kind: Kind
    var bytes: [UInt8]
  }

  private var buffer: [UInt8] = []
  private var hasStarted = false
  /// Whether the statement that advances the lane was sent, and the commit was not.
  private var isBatch = false
  private var isCommit = false

  /// Returns the messages that received bytes complete.
  mutating func append(_ bytes: [UInt8]) -> [Part] {
    buffer += bytes
    var parts: [Part] = []
    var start = 0
    while let end = end(of: start) {
      let message = buffer[start..<end]
      let kind = kind(of: message)
      hasStarted = true
      if kind != .other || parts.isEmpty {
        parts.append(Part(kind: kind, bytes: Array(message)))
      } else {
        parts[parts.count - 1].bytes += message
      }
      start = end
    }
    buffer.removeFirst(start)
    return parts
  }

  /// Returns the end of the message that begins at an index, if it is complete.
  private func end(of start: Int) -> Int? {
    let lengthStart = start + (hasStarted ? 1 : 0)
    guard lengthStart + 4 <= buffer.count else { return nil }
    let length = buffer[lengthStart..<lengthStart + 4].reduce(0) { $0 << 8 | Int($1) }
    let end = lengthStart + length
    return end <= buffer.count ? end : nil
  }

  private mutating func kind(of message: ArraySlice<UInt8>) -> Kind {
    guard hasStarted else { return .other }
    switch message.first {
    case UInt8(ascii: "B"):
      // After the type, the length, and the name of the portal, which is empty.
      let name = message.dropFirst(6).prefix { $0 != 0 }
      if name.elementsEqual("advance_lane".utf8) { isBatch = true }
      guard isBatch, name.elementsEqual("commit".utf8) else { return .other }
      (isBatch, isCommit) = (false, true)
      return .commit
    case UInt8(ascii: "S") where isCommit:
      isCommit = false
      return .commitEnd
    default: return .other
    }
  }
}
