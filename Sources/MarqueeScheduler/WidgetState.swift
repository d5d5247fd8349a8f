import MarqueeModel

/// The state of one instance of a widget (rule W1): its timeline, current entry, relevance, windows, prediction and
/// reloads.
struct WidgetState: Equatable, Sendable {
  let widget: Widget
  /// The family of the instance.
  private(set) var family: WidgetFamily
  /// The index of the kind in the device's kinds.
  private(set) var kind: Int
  /// The approximate stored size of the widget, in bytes.
  let widgetSize: Int
  private(set) var timeline: Timeline?
  /// The sequence in the device's journal of the event that published the timeline, if it is known.
  @Uncompared private(set) var timelineSequence: UInt64? = nil
  /// When the timeline was published, if that is known.
  private(set) var publishedAt: Instant?
  /// The number of timeline entries reached so far.
  private(set) var reachedCount = 0
  /// Whether the current entry has expired, so that the widget has no evidence until the next one (rule W4).
  private(set) var isExpired = false
  /// The highest positive score in the timeline, or 0 if there is none.
  private var timelineBest = 0.0
  private(set) var relevance: Relevance?
  private(set) var windows = ShortcutWindows()
  /// The current prediction.
  var prediction: Prediction?
  /// Whether a relevant shortcut or intent names the widget.
  var isNamed = false
  var reload = Reload()
  var visibleDuration = VisibleDuration()
  /// The number of stacks that the instance is a member of.
  var membershipCount = 0
  /// Whether the instance is on the Home Screen outside stacks.
  var isOutsideStacks = false
  /// The factor applied to the strength of the widget's signals (rule R11).
  var engagementFactor = 1.0

  init(_ instance: WidgetInstance, kind: Int) {
    widget = instance.widget
    family = instance.family
    self.kind = kind
    widgetSize = widget.storedSize
  }

  /// The widget and the family.
  var instance: WidgetInstance { WidgetInstance(widget, in: family) }

  /// The approximate stored size of the timeline, in bytes.
  var timelineSize: Int { timeline?.storedSize ?? 0 }

  /// The current timeline entry.
  var current: TimelineEntry? { reachedCount == 0 ? nil : timeline?.entries[reachedCount - 1] }

  /// The entry that the widget shows: the current one or, once it has expired, the fallback, if there is one (rule W4).
  var shown: ShownEntry? {
    reachedCount == 0 ? nil : timeline?.shownEntry(at: reachedCount - 1, isExpired: isExpired)
  }

  /// When the current entry expired; `nil` if it has not.
  var expiredAt: Instant? { isExpired ? expiry : nil }

  /// When the current entry expires or has expired; `nil` if it never does.
  var expiry: Instant? { reachedCount == 0 ? nil : timeline?.expiry(ofEntryAt: reachedCount - 1) }

  /// The score in force if it is positive, otherwise 0 (rules T3, T5).
  var positiveScore: Double {
    guard let relevance, !relevance.isOver else { return 0 }
    return max(0, relevance.inForce.score)
  }

  /// Returns the summary used by every step. `mutating` only to avoid a copy of the state; nothing is changed.
  mutating func summary(evidence: Double) -> WidgetSummary {
    WidgetSummary(
      kind: kind, bestScore: max(timelineBest, positiveScore), score: positiveScore, evidence: evidence,
      episodeStart: lastEpisodeStart, isSuggestible: isSuggestible,
      isPredicted: prediction != nil, isGrouped: !windows.openGroups.isEmpty || timeline?.group != nil,
      nextBoundary: nextBoundary, reloadDue: reload.dueDate)
  }

  /// Whether no placement, timeline, shortcut, intent or prediction refers to the widget.
  var isUnreferenced: Bool { !isPlaced && timeline == nil && !isNeededUnplaced }

  /// Whether a shortcut, intent or prediction refers to the widget.
  var isNeededUnplaced: Bool { isNamed || hasSuggestionReason }

  /// Whether the instance is in a stack or on the Home Screen outside stacks.
  var isPlaced: Bool { membershipCount > 0 || isOutsideStacks }

  /// Whether a relevant shortcut or intent names the widget that has no windows, or whose windows are not all over.
  var isExpected: Bool { isNamed && (!windows.windows.isEmpty || windows.lastEnd == nil) }

  /// Whether the widget may be suggested: there is a reason, and its current entry has not expired.
  var isSuggestible: Bool { !isExpired && hasSuggestionReason }

  /// Whether one of its windows is open, or it is predicted.
  private var hasSuggestionReason: Bool { windows.openCount > 0 || prediction != nil }

  /// The start of the latest episode that contributes evidence now.
  private var lastEpisodeStart: Instant? {
    guard !isExpired else { return nil }
    var last = prediction?.episode.start
    if windows.openCount > 0 {
      for case let episode? in windows.windows.lazy.map(\.episode) { last = max(last ?? episode.start, episode.start) }
    }
    if positiveScore > 0, let start = relevance?.episode.start { last = max(last ?? start, start) }
    return last
  }

  /// The next instant at which an entry is reached or expires, the relevance in force ends, or a window opens or ends.
  private var nextBoundary: Instant? {
    var boundary = windows.nextBoundary
    if let timeline, reachedCount < timeline.entries.count {
      boundary = Self.earlier(boundary, timeline.entries[reachedCount].date)
    }
    if !isExpired, let expiry { boundary = Self.earlier(boundary, expiry) }
    if let relevance, !relevance.isOver, let end = relevance.inForce.end { boundary = Self.earlier(boundary, end) }
    return boundary
  }

  private static func earlier(_ left: Instant?, _ right: Instant) -> Instant {
    left.map { min($0, right) } ?? right
  }

  /// Sets the spans in which shortcuts and intents make the widget relevant.
  mutating func setWindows(_ spans: [RelevantSpan], at now: Instant) { windows.set(spans, at: now) }

  /// Ends the membership in groups (rule R15).
  mutating func removeGroups() {
    windows.removeGroups()
    guard let old = timeline, old.group != nil else { return }
    timeline = Timeline(submitted: old.entries, policy: old.policy, family: old.family, fallback: old.fallback)
  }

  /// Sets the prediction. The episode continues while the combination is unchanged.
  mutating func predict(_ combination: UInt64, _ parts: Int, at now: Instant) {
    if prediction?.combination == combination {
      prediction?.parts = parts
    } else {
      prediction = Prediction(combination: combination, parts: parts, episode: Episode(start: now))
    }
  }

  /// Changes the family of the instance. Only the table may call it, which finds instances by family.
  mutating func setFamily(_ family: WidgetFamily) { self.family = family }

  /// Changes the index of the kind, after other kinds were removed.
  mutating func setKind(_ kind: Int) { self.kind = kind }

  /// Adopts the windows of another instance of the widget, with their episodes.
  mutating func adoptWindows(of other: WidgetState) {
    windows = other.windows
    isNamed = other.isNamed
  }

  /// Takes over the timeline of another instance of the widget, evaluated at `now` (rule W1).
  mutating func adoptTimeline(of other: WidgetState, at now: Instant) {
    guard let shared = other.timeline else { return }
    // The instance has no relevance yet, so no score ceases to be in force.
    _ = publish(shared, sequence: other.timelineSequence, at: now)
    publishedAt = other.publishedAt
    reload.restart(shared.policy, lastEntry: shared.entries.last?.date, at: now)
  }

  /// Replaces the timeline. Relevance in force is kept until it is replaced or ends (rule T4).
  ///
  /// - Returns: The positive score that is no longer in force, if any.
  mutating func publish(_ timeline: Timeline, sequence: UInt64?, at now: Instant) -> Double? {
    self.timeline = timeline
    timelineSequence = sequence
    publishedAt = now
    reachedCount = timeline.reachedCount(at: now)
    timelineBest = 0
    for index in timeline.entries.indices {
      timelineBest = max(timelineBest, timeline.entries[index].relevance?.score ?? 0)
    }
    isExpired = expiry.map { $0 <= now } ?? false
    guard let index = timeline.entries[..<reachedCount].lastIndex(where: { $0.relevance != nil }) else {
      return isExpired ? expireRelevance(at: now) : nil
    }
    let isRejected = positiveScore > 0 && relevance?.episode.isSpent ?? false
    let past = provide(
      timeline.entries[index], until: timeline.firstExpiry(in: index..<reachedCount, by: now), at: now)
    // A rejection continues with the evidence, although another entry provides it now.
    if isRejected { relevance?.episode.isSpent = true }
    return past
  }

  /// Determines whether the current entry has expired, after decoding.
  mutating func restoreExpiry(at now: Instant) { isExpired = expiry.map { $0 <= now } ?? false }

  /// Replaces the current entry by one that does not expire, whose relevance is in force.
  mutating func removeExpiry(at now: Instant) {
    guard let timeline, reachedCount > 0 else { return }
    var entries = timeline.entries
    let entry = entries[reachedCount - 1]
    entries[reachedCount - 1] = TimelineEntry(date: entry.date, relevance: entry.relevance, content: entry.content)
    // The score that was in force when the entry expired is in the history of its kind.
    let current = Timeline(
      submitted: entries, policy: timeline.policy, family: timeline.family, group: timeline.group)
    _ = publish(current, sequence: nil, at: now)
  }

  /// Removes the timeline, its relevance and its reload requests.
  ///
  /// - Returns: The positive score that is no longer in force, if any.
  mutating func removeTimeline() -> Double? {
    let past = endRelevance()
    (timeline, timelineSequence, publishedAt, relevance) = (nil, nil, nil, nil)
    (reachedCount, timelineBest, isExpired) = (0, 0, false)
    reload = Reload()
    return past
  }

  /// Applies the entries, expiry, relevance end and windows that are due at `now`.
  ///
  /// - Returns: The shown entry if it changed, and the positive score that is no longer in force, if any.
  mutating func reach(_ now: Instant) -> (shown: ShownEntry??, pastScore: Double?) {
    windows.reach(now)
    var past: Double?
    if let end = relevance?.inForce.end, end <= now, let score = endRelevance() { past = score }
    guard let timeline, reachedCount < timeline.entries.count, timeline.entries[reachedCount].date <= now else {
      guard !isExpired, let expiry, expiry <= now else { return (nil, past) }
      isExpired = true
      past = expireRelevance(at: now) ?? past
      return (.some(shown), past)
    }
    let entry = timeline.entries[reachedCount]
    reachedCount += 1
    isExpired = false
    precondition(entry.date == now, "a timeline entry was skipped")
    if let score = provide(entry, at: now) { past = score }
    return (.some(shown), past)
  }

  /// Removes a deleted stack from the episodes.
  mutating func removeMovedStack(_ stack: StackID) {
    relevance?.episode.movedStacks.removeAll { $0 == stack }
    changeSuggestionEpisodes { $0.movedStacks.removeAll { $0 == stack } }
  }

  /// Applies `body` to every episode that contributes evidence now.
  mutating func changeEpisodes(_ body: (inout Episode) -> Void) {
    if positiveScore > 0, var episode = relevance?.episode {
      body(&episode)
      relevance?.episode = episode
    }
    changeSuggestionEpisodes(body)
  }

  /// Applies `body` to the episodes of the open windows and of the prediction, which all instances share.
  mutating func changeSuggestionEpisodes(_ body: (inout Episode) -> Void) {
    windows.changeEpisodes(body)
    guard var expected = prediction else { return }
    body(&expected.episode)
    prediction = expected
  }

  /// Re-evaluates the timeline from its dates, with new episodes.
  mutating func restateTime(at now: Instant) {
    reload.restateTime(at: now)
    visibleDuration.restateTime(at: now)
    endEvidence()
    relevance = nil
    guard let timeline else { return }
    let published = publishedAt
    // The relevance was reset, so no score ceases to be in force.
    _ = publish(timeline, sequence: timelineSequence, at: now)
    publishedAt = published.map { min($0, now) }
  }

  /// Ends everything that contributes evidence now.
  mutating func endEvidence() {
    relevance?.isOver = true
    windows = ShortcutWindows()
    prediction = nil
  }

  /// Puts a score in force from now on, in an episode of its own.
  mutating func provide(_ score: Double, at now: Instant) {
    let force = RelevanceInForce(score: score, start: now, end: nil)
    relevance = Relevance(inForce: force, episode: Episode(start: now), isOver: false)
  }

  /// Ends the relevance in force, and returns its score if it was positive.
  private mutating func endRelevance() -> Double? {
    let score = positiveScore
    relevance?.isOver = true
    return score > 0 ? score : nil
  }

  /// Ends the relevance in force because an entry expired, and returns its score if it was positive.
  private mutating func expireRelevance(at now: Instant) -> Double? {
    guard let expired = relevance, !expired.isOver else { return nil }
    let score = endRelevance()
    relevance?.inForce = RelevanceInForce(score: expired.inForce.score, start: expired.inForce.start, end: now)
    return score
  }

  /// Applies the relevance of a reached entry. An entry without relevance leaves the one in force (rule T3).
  ///
  /// - Parameters:
  ///   - entry: The entry.
  ///   - expiry: When the relevance ended because this or a later entry expired (rule W4); `nil` if none did.
  ///   - now: The present instant.
  /// - Returns: The positive score that is no longer in force, if any.
  private mutating func provide(_ entry: TimelineEntry, until expiry: Instant? = nil, at now: Instant) -> Double? {
    guard let provided = entry.relevance else { return nil }
    let windowEnd = provided.duration == .zero ? nil : entry.date.advanced(by: provided.duration)
    let end = expiry.map { Self.earlier(windowEnd, $0) } ?? windowEnd
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

/// A maximal span in which one entry, window or predicted action contributes evidence for a widget, and its effects so
/// far (rule R4).
struct Episode: Equatable, Sendable {
  /// The start of the span: the entry's date, or its publication if that was later.
  let start: Instant
  /// Whether the user rejected what the episode brought.
  var isSpent = false
  /// The stacks that the episode moved.
  var movedStacks: [StackID] = []

  /// Whether the episode has not moved the stack and is not spent.
  func isFresh(on stack: StackID) -> Bool { !isSpent && !movedStacks.contains(stack) }

  /// Returns why a widget's episodes cannot move a stack, if this one and others with the given reason cannot. The
  /// user's reaction is the reason if an episode has both.
  func end(after end: EpisodeEnd?) -> EpisodeEnd { isSpent ? .rejected : end ?? .moved }
}

/// The relevance in force, with its episode.
struct Relevance: Equatable, Sendable {
  var inForce: RelevanceInForce
  var episode: Episode
  /// Whether the relevance has ended.
  var isOver: Bool
}

/// The encoding in device format version 1 or, with a storage, 7; windows, ``WidgetState/publishedAt`` and the families
/// are encoded separately. ``WidgetState/membershipCount``, ``WidgetState/isOutsideStacks``,
/// ``WidgetState/isExpired`` and ``WidgetState/engagementFactor`` are derived from the rest of the device.
extension WidgetState {
  func write(to writer: inout ByteWriter, _ storage: TimelineStorage?) {
    writer.write(widget)
    writer.write(kind)
    if let storage { writeTimeline(to: &writer, storage) } else { writer.write(timeline) }
    writer.write(reachedCount)
    writer.write(relevance)
    writer.write(reload)
    writer.write(visibleDuration)
  }

  /// Decodes a state with a provisional family.
  init(from reader: inout ByteReader, _ source: TimelineSource?) throws(BinaryDecodingError) {
    widget = try reader.read()
    family = .systemSmall
    kind = try reader.readInt()
    widgetSize = widget.storedSize
    if let source {
      (timeline, timelineSequence) = try Self.readTimeline(from: &reader, source)
    } else {
      timeline = try reader.readOptional()
    }
    reachedCount = try reader.readInt()
    guard reachedCount <= timeline?.entries.count ?? 0 else {
      throw reader.corrupt("more entries reached than the timeline has")
    }
    timelineBest = timeline?.entries.reduce(0) { max($0, $1.relevance?.score ?? 0) } ?? 0
    relevance = try reader.readOptional()
    reload = try reader.read()
    visibleDuration = try reader.read()
  }
}

extension WidgetState {
  func writeWindows(to writer: inout ByteWriter) {
    writer.write(windows)
    writer.write(isNamed)
  }

  mutating func readWindows(from reader: inout ByteReader) throws(BinaryDecodingError) {
    windows = try reader.read()
    isNamed = try reader.readBool()
  }

  /// Encodes the families, which device format version 10 added.
  func writeFamilies(to writer: inout ByteWriter) {
    writer.write(family)
    writer.write(timeline?.family)
  }

  mutating func readFamilies(from reader: inout ByteReader) throws(BinaryDecodingError) {
    family = try reader.read()
    let madeFor = try reader.readOptional(WidgetFamily.self)
    guard madeFor == nil || madeFor == family && timeline != nil else {
      throw reader.corrupt("timeline of another family, or no timeline")
    }
    timeline = timeline?.made(for: madeFor)
  }

  mutating func readPublication(from reader: inout ByteReader, at now: Instant) throws(BinaryDecodingError) {
    publishedAt = try reader.readOptional()
    guard publishedAt == nil || timeline != nil, publishedAt ?? .min <= now else {
      throw reader.corrupt("publication in the future, or without a timeline")
    }
  }
}

extension Episode: BinaryCodable {
  func write(to writer: inout ByteWriter) {
    writer.write(start)
    writer.write(isSpent)
    writer.write(movedStacks)
  }

  init(from reader: inout ByteReader) throws(BinaryDecodingError) {
    start = try reader.read()
    isSpent = try reader.readBool()
    movedStacks = try reader.readArray()
  }
}

extension Relevance: BinaryCodable {
  func write(to writer: inout ByteWriter) {
    writer.write(inForce.score)
    writer.write(inForce.start)
    writer.write(inForce.end)
    writer.write(episode)
    writer.write(isOver)
  }

  init(from reader: inout ByteReader) throws(BinaryDecodingError) {
    let score = try reader.readDouble()
    guard score.isFinite else { throw reader.corrupt("relevance score is not finite") }
    let start = try reader.read(Instant.self)
    inForce = RelevanceInForce(score: score, start: start, end: try reader.readOptional())
    episode = try reader.read()
    isOver = try reader.readBool()
  }
}
