/// The last messages that were converted to JSON for many watchers, and their texts.
struct SharedJSON {
  private struct Entry {
    let method: String
    let message: [UInt8]
    let text: [UInt8]
  }

  /// The maximum number of messages: watchers of one change receive it whole or without private contents.
  private static let countMax = 2

  private var entries: [Entry] = []

  /// Returns the text if the message is the same array, which its address shows: the array is kept.
  func text(of message: [UInt8], _ method: String) -> [UInt8]? {
    guard !message.isEmpty else { return nil }
    return entries.first { entry in
      guard message.count == entry.message.count, method == entry.method else { return false }
      return message.withUnsafeBytes { left in
        entry.message.withUnsafeBytes { left.baseAddress == $0.baseAddress }
      }
    }?.text
  }

  /// Keeps the text of a message instead of the oldest one.
  mutating func insert(_ text: [UInt8], of message: [UInt8], _ method: String) {
    if entries.count == Self.countMax { entries.removeFirst() }
    entries.append(Entry(method: method, message: message, text: text))
  }
}
