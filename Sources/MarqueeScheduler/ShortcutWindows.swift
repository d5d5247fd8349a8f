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
  /// The groups of the open windows, in ascending order.
  private(set) var openGroups: [GroupName] = []

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

  /// Whether an open window's episode satisfies a condition.
  func hasEpisode(where isMatch: (Episode) -> Bool) -> Bool {
    openCount > 0 && windows.contains { $0.episode.map(isMatch) ?? false }
  }

  /// Calls `body` with the episode of every open window.
  func visitEpisodes(_ body: (Episode) -> Void) {
    guard openCount > 0 else { return }
    for window in windows { window.episode.map(body) }
  }

  private mutating func note() {
    openCount = windows.count { $0.episode != nil }
    let groups = windows.lazy.filter { $0.episode != nil }.flatMap(\.groups)
    openGroups = groups.isEmpty ? [] : Set(groups).sorted()
    nextBoundary = windows.lazy.map { $0.episode == nil ? $0.start : $0.end }.min()
  }
}

/// The Boolean that states whether a window has an episode has ``groupsFlag`` added to it if the window has groups,
/// which follow as their indices in the list of all groups so far; the name of a group that is not in it follows its
/// index. The encoding of other windows is that of releases without groups.
extension ShortcutWindows: BinaryCodable {
  private static var episodeFlag: UInt8 { 1 }
  private static var groupsFlag: UInt8 { 2 }

  func write(to writer: inout ByteWriter) {
    writer.write(windows.count)
    var names: [GroupName] = []
    for window in windows {
      writer.write(window.start)
      writer.write(window.end)
      let groupsFlag = window.groups.isEmpty ? 0 : Self.groupsFlag
      writer.write(tag: (window.episode == nil ? 0 : Self.episodeFlag) | groupsFlag)
      if let episode = window.episode { writer.write(episode) }
      if !window.groups.isEmpty { Self.write(window.groups, to: &writer, &names) }
    }
    writer.write(lastEnd)
  }

  private static func write(_ groups: [GroupName], to writer: inout ByteWriter, _ names: inout [GroupName]) {
    writer.write(groups.count)
    for group in groups {
      let index = names.firstIndex(of: group) ?? names.count
      writer.write(index)
      guard index == names.count else { continue }
      names.append(group)
      writer.write(group)
    }
  }

  init(from reader: inout ByteReader) throws(BinaryDecodingError) {
    var names: [GroupName] = []
    for _ in 0..<(try reader.readCount()) {
      let window = try Self.readWindow(from: &reader, &names)
      guard window.start < window.end, windows.last.map({ $0.start < window.start }) ?? true else {
        throw reader.corrupt("windows are not in ascending order")
      }
      windows.append(window)
    }
    lastEnd = try reader.readOptional()
    note()
  }

  private static func readWindow(
    from reader: inout ByteReader, _ names: inout [GroupName]
  ) throws(BinaryDecodingError) -> Window {
    let (start, end) = (try reader.read(Instant.self), try reader.read(Instant.self))
    let flags = try reader.readTag()
    guard flags <= episodeFlag | groupsFlag else { throw reader.corrupt("unknown flags of a window: \(flags)") }
    let episode = flags & episodeFlag == 0 ? nil : try reader.read(Episode.self)
    let groups = flags & groupsFlag == 0 ? [] : try readGroups(from: &reader, &names)
    guard groups.isEmpty == (flags & groupsFlag == 0), zip(groups, groups.dropFirst()).allSatisfy({ $0 < $1 }) else {
      throw reader.corrupt("groups of a window are not in ascending order, or missing")
    }
    return Window(start: start, end: end, groups: groups, episode: episode)
  }

  private static func readGroups(
    from reader: inout ByteReader, _ names: inout [GroupName]
  ) throws(BinaryDecodingError) -> [GroupName] {
    let count = try reader.readCount()
    guard count <= GroupName.countMax else { throw reader.corrupt("too many groups of a window: \(count)") }
    var groups: [GroupName] = []
    for _ in 0..<count {
      let index = try reader.readInt()
      guard index <= names.count, index < GroupName.countMax else {
        throw reader.corrupt("group out of range: \(index)")
      }
      if index == names.count {
        let name = try reader.read(GroupName.self)
        guard !names.contains(name) else { throw reader.corrupt("duplicate group") }
        names.append(name)
      }
      groups.append(names[index])
    }
    return groups
  }
}
