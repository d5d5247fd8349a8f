import MarqueeModel

/// What a device knows of one widget: its timeline, how far it has been reached, and the relevance in force.
struct WidgetState: Equatable, Sendable {
  let widget: Widget
  /// The index of its kind in the device's kinds.
  let kind: Int
  private(set) var timeline: Timeline?
  /// Entries reached so far.
  private(set) var reachedCount = 0
  /// The highest positive score of the timeline, reached or not; 0 when there is none.
  private var timelineBest = 0.0
  private(set) var relevance: Relevance?
  private(set) var windows = ShortcutWindows()
  /// What is expected of the widget now.
  var prediction: Prediction?
  /// Whether a relevant shortcut or intent names the widget.
  var isNamed = false
  var reload = Reload()
  var frontTime = FrontTime()
  /// Stacks that the widget is a member of.
  var membershipCount = 0
  /// What the strength of its signals is multiplied with (rule R11).
  var engagementFactor = 1.0

  init(widget: Widget, kind: Int) {
    self.widget = widget
    self.kind = kind
  }

  /// The entry to show.
  var current: TimelineEntry? { reachedCount == 0 ? nil : timeline?.entries[reachedCount - 1] }

  /// The score that counts now: positive or 0 (rules T3, T5).
  var positiveScore: Double {
    guard let relevance, !relevance.isOver else { return 0 }
    return max(0, relevance.inForce.score)
  }

  /// What every step looks at. It changes nothing; but a function that may not change this much is given a copy of it.
  mutating func outlook(evidence: Double) -> Outlook {
    Outlook(
      kind: kind, bestScore: max(timelineBest, positiveScore), score: positiveScore, evidence: evidence,
      episodeStart: lastEpisodeStart, isSuggestible: isSuggestible, nextEdge: nextEdge,
      reloadDue: reload.dueDate)
  }

  /// Whether nothing is known that would be missed.
  var isForgettable: Bool { membershipCount == 0 && timeline == nil && !isNamed && prediction == nil }

  /// Whether a window of a shortcut is open or a prediction is for the widget, so that it may be suggested.
  var isSuggestible: Bool { windows.openCount > 0 || prediction != nil }

  /// When the last of the episodes began that give evidence now.
  private var lastEpisodeStart: Instant? {
    var last = prediction?.episode.start
    if windows.openCount > 0 {
      for case let episode? in windows.windows.lazy.map(\.episode) { last = max(last ?? episode.start, episode.start) }
    }
    if positiveScore > 0, let start = relevance?.episode.start { last = max(last ?? start, start) }
    return last
  }

  /// The next instant at which an entry is reached, the relevance in force ends, or a window opens or ends.
  private var nextEdge: Instant? {
    var edge = windows.nextEdge
    if let timeline, reachedCount < timeline.entries.count {
      edge = Self.earlier(edge, timeline.entries[reachedCount].date)
    }
    if let relevance, !relevance.isOver, let end = relevance.inForce.end { edge = Self.earlier(edge, end) }
    return edge
  }

  private static func earlier(_ left: Instant?, _ right: Instant) -> Instant {
    left.map { min($0, right) } ?? right
  }

  /// Takes the spans in which shortcuts hold the widget relevant, each a start and an end.
  mutating func setWindows(_ spans: [(start: Instant, end: Instant)], at now: Instant) {
    windows.set(spans, at: now)
  }

  /// Takes what is expected of the widget; the episode goes on while the combination is the same.
  mutating func expect(_ combination: UInt64, _ parts: Int, at now: Instant) {
    if prediction?.combination == combination {
      prediction?.parts = parts
    } else {
      prediction = Prediction(combination: combination, parts: parts, episode: Episode(start: now))
    }
  }

  /// Takes a new timeline; relevance already in force survives until replaced or ended (rule T4). Gives the score
  /// that ceased to be in force, if one did.
  mutating func publish(_ timeline: Timeline, at now: Instant) -> Double? {
    self.timeline = timeline
    reachedCount = timeline.reachedCount(at: now)
    timelineBest = 0
    for index in timeline.entries.indices {
      timelineBest = max(timelineBest, timeline.entries[index].relevance?.score ?? 0)
    }
    guard let entry = timeline.entries[..<reachedCount].last(where: { $0.relevance != nil }) else { return nil }
    return provide(entry, at: now)
  }

  /// Reaches the entries and the end of relevance that are due at `now`. Says whether the current entry changed,
  /// and gives the score that ceased to be in force, if one did.
  mutating func reach(_ now: Instant) -> (isNewEntry: Bool, pastScore: Double?) {
    windows.reach(now)
    var past: Double?
    if let end = relevance?.inForce.end, end <= now, let score = endRelevance() { past = score }
    guard let timeline, reachedCount < timeline.entries.count, timeline.entries[reachedCount].date <= now else {
      return (false, past)
    }
    let entry = timeline.entries[reachedCount]
    reachedCount += 1
    precondition(entry.date == now, "an entry was passed by")
    if let score = provide(entry, at: now) { past = score }
    return (true, past)
  }

  /// Notes that the present episodes moved the stack (rule R4).
  mutating func noteMove(of stack: StackID) {
    changeEpisodes { if !$0.movedStacks.contains(stack) { $0.movedStacks.append(stack) } }
  }

  /// Spends the present episodes that brought the widget to the front of the stack that the person now scrolls away
  /// from it (rule R4).
  mutating func spendEpisodes(ifMoved stack: StackID) {
    changeEpisodes { if $0.movedStacks.contains(stack) { $0.isSpent = true } }
  }

  /// Spends what the widget may be suggested for: the person took it away (rule R4).
  mutating func spendSuggestionEpisodes() {
    changeSuggestionEpisodes { $0.isSpent = true }
  }

  /// Forgets what the episodes did to a stack that is gone.
  mutating func forgetMoves(of stack: StackID) {
    relevance?.episode.movedStacks.removeAll { $0 == stack }
    changeSuggestionEpisodes { $0.movedStacks.removeAll { $0 == stack } }
  }

  /// Runs a change of every episode that gives evidence now.
  mutating func changeEpisodes(_ body: (inout Episode) -> Void) {
    if positiveScore > 0, var episode = relevance?.episode {
      body(&episode)
      relevance?.episode = episode
    }
    changeSuggestionEpisodes(body)
  }

  private mutating func changeSuggestionEpisodes(_ body: (inout Episode) -> Void) {
    windows.changeEpisodes(body)
    guard var expected = prediction else { return }
    body(&expected.episode)
    prediction = expected
  }

  /// Ends everything that gives evidence now.
  mutating func silence() {
    relevance?.isOver = true
    windows = ShortcutWindows()
    prediction = nil
  }

  /// Ends the relevance in force; gives its score if it was positive.
  private mutating func endRelevance() -> Double? {
    let score = positiveScore
    relevance?.isOver = true
    return score > 0 ? score : nil
  }

  /// Sets the relevance that `entry` provides; without any, leaves what is in force (rule T3).
  private mutating func provide(_ entry: TimelineEntry, at now: Instant) -> Double? {
    guard let provided = entry.relevance else { return nil }
    let end = provided.duration == .zero ? nil : entry.date.advanced(by: provided.duration)
    let next = RelevanceInForce(score: provided.score, start: entry.date, end: end)
    guard next != relevance?.inForce else { return nil }
    let isSameSource = positiveScore > 0 && relevance?.inForce.start == entry.date
    let episode = isSameSource ? relevance?.episode : nil
    let past = endRelevance()
    relevance = Relevance(
      inForce: next, episode: episode ?? Episode(start: now), isOver: end.map { $0 <= now } ?? false)
    return past
  }
}

/// A maximal span in which one entry, window or predicted action gives a widget evidence, and what it has done so far
/// (rule R4).
struct Episode: Equatable, Sendable {
  /// When the span began: the entry's date, or its publication when that was later.
  let start: Instant
  /// Whether the person scrolled away from what the episode brought.
  var isSpent = false
  /// Stacks that the episode moved.
  var movedStacks: [StackID] = []

  /// Whether it has neither moved the stack nor been spent.
  func isFresh(on stack: StackID) -> Bool { !isSpent && !movedStacks.contains(stack) }
}

/// The relevance in force with its episode.
struct Relevance: Equatable, Sendable {
  let inForce: RelevanceInForce
  var episode: Episode
  /// Whether the end has been reached.
  var isOver: Bool
}

/// The form of devices of version 1. Windows are written after it; ``WidgetState/membershipCount``,
/// ``WidgetState/evidence`` and ``WidgetState/engagementFactor`` follow from the rest of the device.
extension WidgetState: ByteCodable {
  func write(to writer: inout ByteWriter) {
    writer.write(widget)
    writer.write(kind)
    writer.write(timeline)
    writer.write(reachedCount)
    writer.write(relevance)
    writer.write(reload)
    writer.write(frontTime)
  }

  init(from reader: inout ByteReader) throws(CorruptBytes) {
    widget = try reader.read()
    kind = try reader.readInt()
    timeline = try reader.readOptional()
    reachedCount = try reader.readInt()
    guard reachedCount <= timeline?.entries.count ?? 0 else {
      throw reader.corrupt("more entries reached than there are")
    }
    timelineBest = timeline?.entries.reduce(0) { max($0, $1.relevance?.score ?? 0) } ?? 0
    relevance = try reader.readOptional()
    reload = try reader.read()
    frontTime = try reader.read()
  }
}

extension WidgetState {
  func writeWindows(to writer: inout ByteWriter) {
    writer.write(windows)
    writer.write(isNamed)
  }

  mutating func readWindows(from reader: inout ByteReader) throws(CorruptBytes) {
    windows = try reader.read()
    isNamed = try reader.readBool()
  }
}

extension Episode: ByteCodable {
  func write(to writer: inout ByteWriter) {
    writer.write(start)
    writer.write(isSpent)
    writer.write(movedStacks)
  }

  init(from reader: inout ByteReader) throws(CorruptBytes) {
    start = try reader.read()
    isSpent = try reader.readBool()
    movedStacks = try reader.readArray()
  }
}

extension Relevance: ByteCodable {
  func write(to writer: inout ByteWriter) {
    writer.write(inForce.score)
    writer.write(inForce.start)
    writer.write(inForce.end)
    writer.write(episode)
    writer.write(isOver)
  }

  init(from reader: inout ByteReader) throws(CorruptBytes) {
    let score = try reader.readDouble()
    guard score.isFinite else { throw reader.corrupt("a score in force that is not finite") }
    let start = try reader.read(Instant.self)
    inForce = RelevanceInForce(score: score, start: start, end: try reader.readOptional())
    episode = try reader.read()
    isOver = try reader.readBool()
  }
}
