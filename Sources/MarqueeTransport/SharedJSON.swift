import MarqueeRPC
import NIOCore

/// The last messages that were converted to JSON for many watchers, and their texts.
struct SharedJSON {
  /// The JSON of a message.
  enum Text {
    case complete([UInt8])
    /// The message is being converted on another thread.
    case pending(EventLoopFuture<Result<[UInt8], RPCStatus>>)
  }

  private struct Entry {
    let method: String
    let message: [UInt8]
    let text: Text
  }

  /// The maximum number of messages: watchers of one change receive it whole or without private contents.
  private static let countMax = 2

  private var entries: [Entry] = []

  /// Returns the text if the message is the same array, which its address shows: the array is kept.
  func text(of message: [UInt8], _ method: String) -> Text? {
    index(of: message, method).map { entries[$0].text }
  }

  private func index(of message: [UInt8], _ method: String) -> Int? {
    guard !message.isEmpty else { return nil }
    return entries.firstIndex { entry in
      guard message.count == entry.message.count, method == entry.method else { return false }
      return message.withUnsafeBytes { left in
        entry.message.withUnsafeBytes { left.baseAddress == $0.baseAddress }
      }
    }
  }

  /// Keeps the text of a message instead of the oldest one.
  mutating func insert(_ text: Text, of message: [UInt8], _ method: String) {
    if entries.count == Self.countMax { entries.removeFirst() }
    entries.append(Entry(method: method, message: message, text: text))
  }

  /// Keeps the text of a message whose conversion has ended, or forgets a message that has none.
  mutating func complete(_ text: Result<[UInt8], RPCStatus>, of message: [UInt8], _ method: String) {
    guard let index = index(of: message, method) else { return }
    switch text {
    case .success(let text): entries[index] = Entry(method: method, message: message, text: .complete(text))
    case .failure: entries.remove(at: index)
    }
  }
}
