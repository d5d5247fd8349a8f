import MarqueeModel

/// The windows in which a widget's relevant shortcuts and intents hold it relevant, each an episode of its own
/// (rules S3, S7, R4).
///
/// Windows of one start are one source: set again, also with another end, an open one goes on with its episode.
struct ShortcutWindows: Equatable, Sendable {
  struct Window: Equatable, Sendable {
    let start: Instant
    let end: Instant
    /// What the window has done since it opened; `nil` while it is ahead.
    var episode: Episode?
  }

  /// Windows that are open or ahead, by rising start.
  private(set) var windows: [Window] = []
  /// The latest end of those that are over.
  private(set) var lastEnd: Instant?
  /// The next instant at which a window opens or ends.
  private(set) var nextEdge: Instant?
  private(set) var openCount = 0

  init() {}

  /// Replaces all windows, each a start and an end; what ends as it starts is none.
  mutating func set(_ spans: [(start: Instant, end: Instant)], at now: Instant) {
    let old = windows.filter { $0.episode != nil }
    windows = []
    lastEnd = nil
    for span in spans.sorted(by: { ($0.start, $0.end) < ($1.start, $1.end) }) where span.start < span.end {
      let episode = old.first { $0.start == span.start }?.episode
      let window = Window(start: span.start, end: span.end, episode: episode)
      if windows.last?.start == span.start { windows.removeLast() }
      windows.append(window)
    }
    reach(now)
  }

  /// Opens and ends the windows that are due.
  mutating func reach(_ now: Instant) {
    for window in windows where window.end <= now { lastEnd = max(lastEnd ?? window.end, window.end) }
    windows.removeAll { $0.end <= now }
    for index in windows.indices where windows[index].start <= now && windows[index].episode == nil {
      windows[index].episode = Episode(start: now)
    }
    note()
  }

  /// Runs a change of every episode that goes on.
  mutating func changeEpisodes(_ body: (inout Episode) -> Void) {
    for index in windows.indices {
      guard var episode = windows[index].episode else { continue }
      body(&episode)
      windows[index].episode = episode
    }
  }

  /// Whether an episode that goes on has neither moved the stack nor been spent.
  func isFresh(on stack: StackID) -> Bool {
    openCount > 0 && windows.contains { $0.episode?.isFresh(on: stack) ?? false }
  }

  /// Tells `body` the episodes that go on.
  func visitEpisodes(_ body: (Episode) -> Void) {
    guard openCount > 0 else { return }
    for window in windows { window.episode.map(body) }
  }

  private mutating func note() {
    openCount = windows.count { $0.episode != nil }
    nextEdge = windows.lazy.map { $0.episode == nil ? $0.start : $0.end }.min()
  }
}

extension ShortcutWindows: ByteCodable {
  func write(to writer: inout ByteWriter) {
    writer.write(windows.count)
    for window in windows {
      writer.write(window.start)
      writer.write(window.end)
      writer.write(window.episode)
    }
    writer.write(lastEnd)
  }

  init(from reader: inout ByteReader) throws(CorruptBytes) {
    for _ in 0..<(try reader.readCount()) {
      let window = Window(start: try reader.read(), end: try reader.read(), episode: try reader.readOptional())
      guard window.start < window.end, windows.last.map({ $0.start < window.start }) ?? true else {
        throw reader.corrupt("windows out of order")
      }
      windows.append(window)
    }
    lastEnd = try reader.readOptional()
    note()
  }
}
