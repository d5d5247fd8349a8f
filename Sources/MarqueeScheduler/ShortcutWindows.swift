import MarqueeModel

/// A span in which a relevant shortcut or intent makes a widget relevant.
struct RelevantSpan {
  let start: Instant
  let end: Instant
  /// The group that the widget is in during the span, if any (rule R15).
  var group: GroupName?
}

/// The windows in which relevant shortcuts and intents make a widget relevant, each an episode of its own (rules S3,
/// S7, R4).
///
/// Windows with the same start count as one. Setting an open window again, even with another end or other groups,
/// continues its episode.
struct ShortcutWindows: Equatable, Sendable {
  struct Window: Equatable, Sendable {
    let start: Instant
    let end: Instant
    /// The groups that the widget is in while the window is open, in ascending order (rule R15).
    var groups: [GroupName]
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
  /// Whether an open window has a group.
  private(set) var isGrouped = false

  init() {}

  /// Replaces all windows. Empty ones are ignored.
  mutating func set(_ spans: [RelevantSpan], at now: Instant) {
    let old = windows.filter { $0.episode != nil }
    windows = []
    lastEnd = nil
    for span in spans.sorted(by: { ($0.start, $0.end) < ($1.start, $1.end) }) where span.start < span.end {
      let episode = old.first { $0.start == span.start }?.episode
      var groups: [GroupName] = []
      if windows.last?.start == span.start { groups = windows.removeLast().groups }
      if let group = span.group, !groups.contains(group) { groups.append(group) }
      windows.append(Window(start: span.start, end: span.end, groups: groups.sorted(), episode: episode))
    }
    reach(now)
  }

  /// Removes the groups of all windows.
  mutating func removeGroups() {
    for index in windows.indices { windows[index].groups = [] }
    note()
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

  /// Calls `body` with each group of every open window.
  func visitGroups(_ body: (GroupName) -> Void) {
    guard isGrouped else { return }
    for window in windows where window.episode != nil { window.groups.forEach(body) }
  }

  private mutating func note() {
    openCount = windows.count { $0.episode != nil }
    isGrouped = openCount > 0 && windows.contains { $0.episode != nil && !$0.groups.isEmpty }
    nextBoundary = windows.lazy.map { $0.episode == nil ? $0.start : $0.end }.min()
  }
}

/// The Boolean that states whether a window has an episode has ``groupsFlag`` added to it if the window has groups,
/// which follow. The encoding of other windows is that of releases without groups.
extension ShortcutWindows: BinaryCodable {
  private static var episodeFlag: UInt8 { 1 }
  private static var groupsFlag: UInt8 { 2 }

  func write(to writer: inout ByteWriter) {
    writer.write(windows.count)
    for window in windows {
      writer.write(window.start)
      writer.write(window.end)
      let groupsFlag = window.groups.isEmpty ? 0 : Self.groupsFlag
      writer.write(tag: (window.episode == nil ? 0 : Self.episodeFlag) | groupsFlag)
      if let episode = window.episode { writer.write(episode) }
      if !window.groups.isEmpty { writer.write(window.groups) }
    }
    writer.write(lastEnd)
  }

  init(from reader: inout ByteReader) throws(BinaryDecodingError) {
    for _ in 0..<(try reader.readCount()) {
      let window = try Self.readWindow(from: &reader)
      guard window.start < window.end, windows.last.map({ $0.start < window.start }) ?? true else {
        throw reader.corrupt("windows are not in ascending order")
      }
      windows.append(window)
    }
    lastEnd = try reader.readOptional()
    note()
  }

  private static func readWindow(from reader: inout ByteReader) throws(BinaryDecodingError) -> Window {
    let (start, end) = (try reader.read(Instant.self), try reader.read(Instant.self))
    let flags = try reader.readTag()
    guard flags <= episodeFlag | groupsFlag else { throw reader.corrupt("unknown flags of a window: \(flags)") }
    let episode = flags & episodeFlag == 0 ? nil : try reader.read(Episode.self)
    let groups = flags & groupsFlag == 0 ? [] : try reader.readArray(GroupName.self)
    guard groups.isEmpty == (flags & groupsFlag == 0), zip(groups, groups.dropFirst()).allSatisfy({ $0 < $1 }) else {
      throw reader.corrupt("groups of a window are not in ascending order, or missing")
    }
    return Window(start: start, end: end, groups: groups, episode: episode)
  }
}
