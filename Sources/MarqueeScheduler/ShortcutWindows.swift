import MarqueeModel

/// The windows in which relevant shortcuts and intents make a widget relevant, each an episode of its own (rules S3,
/// S7, R4).
///
/// Windows with the same start count as one. Setting an open window again, even with another end, continues its
/// episode.
struct ShortcutWindows: Equatable, Sendable {
  struct Window: Equatable, Sendable {
    let start: Instant
    let end: Instant
    /// The episode of an open window, or `nil` while the window is ahead.
    var episode: Episode?
  }

  /// The windows that are open or ahead, by ascending start.
  private(set) var windows: [Window] = []
  /// The latest end of the windows that are over.
  private(set) var lastEnd: Instant?
  /// The next instant at which a window opens or ends.
  private(set) var nextBoundary: Instant?
  private(set) var openCount = 0

  init() {}

  /// Replaces all windows. Empty ones are ignored.
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

  /// Applies `body` to the episode of every open window.
  mutating func changeEpisodes(_ body: (inout Episode) -> Void) {
    for index in windows.indices {
      guard var episode = windows[index].episode else { continue }
      body(&episode)
      windows[index].episode = episode
    }
  }

  /// Whether an open window's episode has not moved the stack and is not spent.
  func isFresh(on stack: StackID) -> Bool {
    openCount > 0 && windows.contains { $0.episode?.isFresh(on: stack) ?? false }
  }

  /// Calls `body` with the episode of every open window.
  func visitEpisodes(_ body: (Episode) -> Void) {
    guard openCount > 0 else { return }
    for window in windows { window.episode.map(body) }
  }

  private mutating func note() {
    openCount = windows.count { $0.episode != nil }
    nextBoundary = windows.lazy.map { $0.episode == nil ? $0.start : $0.end }.min()
  }
}

extension ShortcutWindows: BinaryCodable {
  func write(to writer: inout ByteWriter) {
    writer.write(windows.count)
    for window in windows {
      writer.write(window.start)
      writer.write(window.end)
      writer.write(window.episode)
    }
    writer.write(lastEnd)
  }

  init(from reader: inout ByteReader) throws(BinaryDecodingError) {
    for _ in 0..<(try reader.readCount()) {
      let window = Window(start: try reader.read(), end: try reader.read(), episode: try reader.readOptional())
      guard window.start < window.end, windows.last.map({ $0.start < window.start }) ?? true else {
        throw reader.corrupt("windows are not in ascending order")
      }
      windows.append(window)
    }
    lastEnd = try reader.readOptional()
    note()
  }
}
