import Foundation
import MarqueeModel
import MarqueeScheduler

/// The test oracle: a simple model of a device that reevaluates everything every second, written from the rules alone.
///
/// It stores raw facts (published entries, scores with the seconds in which they were in force, user actions, time in
/// front by second) and no derived state. It is slow, and simple enough to be verified by reading.
///
/// Everything but shortcuts, predictions and blocks is known by instance: a widget in one family (W1).
struct ReferenceScheduler {
  /// The relevance set by the last entry that provides one (T3).
  struct Relevance {
    let score: Double
    let start: Int
    let end: Int?
    /// Identifies the maximal interval of evidence from this entry; see `provide`.
    let episode: Int
    let episodeStart: Int
  }

  /// A positive score of a kind, with the interval in which it is or was in force (T6).
  struct PastScore {
    let kind: Int
    var instance: Int
    let score: Double
    let episode: Int
    var end: Int?
  }

  struct Stack {
    let id: StackID
    let family: WidgetFamily
    var members: [Int] = []
    var front: Int?
    var isSmartRotateOn = true
    var isWidgetSuggestionsOn = true
    var isVisible = true
    var lastTouch: Int?
    var rotations: [Int] = []
    /// The suggested instance, in addition to the members, and whether it is the front (R5).
    var suggested: Int?
    var isSuggestionInFront = false
    var insertions: [Int] = []
    /// The front that the engine chose and the user has not reacted to, and since when it has been visible (R11).
    var brought: (instance: Int, since: Int)?
    /// The members' pins, the members that are never rotated to or away from, and the one scrolled to last (R12, R13).
    var pins: [Int: Pin] = [:]
    var neverTo: Set<Int> = []
    var neverAway: Set<Int> = []
    var scrolledTo: Int?
    /// The member in front of which pins came, and those that rotations replaced, since the user chose the front (R4,
    /// R12).
    var beforePin: Int?
    var replaced: Set<Int> = []
    /// The second since which the stack has neither evidence nor a pin in force, if stacks return to rest (R13).
    var quietSince: Int?
    /// The episodes that rotated this stack (R4).
    var movedBy: Set<Int> = []

    /// The instances that a display shows, and the index of the front.
    var shown: [Int] { (suggested.map { [$0] } ?? []) + members }
    var shownFront: Int? { isSuggestionInFront ? suggested : front }
  }

  /// An open window of a shortcut (S3).
  struct OpenWindow {
    let start: Int
    let episode: Int
    let episodeStart: Int
  }

  enum Reload {
    case none, due(Int, String), waiting(String), asked(String, Int)
  }

  let widgets = RandomDay.widgets
  /// For each widget, the index of the first widget of its kind.
  let kinds = RandomDay.widgets.map { widget in RandomDay.widgets.firstIndex { $0.kind == widget.kind }! }
  /// The kinds that apps have registered, and not removed since.
  var registered: Set<WidgetKind> = []
  /// The intent types that apps have registered, and not removed since.
  var registeredTypes: [AppID: Set<IntentType>] = [:]
  /// The policy in force.
  var policy: Policy
  var configured: Policy
  /// The device's policy overrides, by field.
  var own: [String: Double] = [:]
  var isDeveloperModeOn = false
  var foregroundApp: AppID?
  var place: Place?
  var focus: FocusID?
  var offsets: UTCOffsets?
  var now = 0
  /// Whether the device has the instance.
  var exists: [Bool]
  var timelines: [Timeline?]
  /// The second in which each instance's timeline was published.
  var publications: [Int]
  var relevance: [Relevance?]
  var pastScores: [PastScore] = []
  var stacks: [Stack] = []
  var spentEpisodes: Set<Int> = []
  var episodeCount = 0
  var reload: [Reload]
  /// The seconds of counted reload requests, for each instance.
  var countedReloads: [[Int]]
  /// The counts of each instance (R17).
  var tallies: [Tally]
  /// For each instance and second, the number of earlier seconds in which it was the front of a visible stack.
  var frontSeconds: [[Int]]
  var shortcuts: [AppID: [RelevantShortcut]] = [:]
  var intents: [AppID: [RelevantIntent]] = [:]
  /// The open windows, for each widget.
  var openWindows: [[OpenWindow]]
  var home: Set<Int> = []
  var blockedWidgets: Set<Int> = []
  var blockedApps: Set<AppID> = []
  /// The seconds in which the last snooze of a widget or an app ends (R14).
  var snoozedWidgets: [Int: Int] = [:]
  var snoozedApps: [AppID: Int] = [:]
  var appInsertions: [AppID: [Int]] = [:]
  /// The positive and negative outcomes, for each instance (R11).
  var outcomes: [(good: Double, bad: Double)]
  /// What the device has learned, which provides it: the reference does not learn.
  struct Learned {
    var likely: [LikelyAction] = []
    var usesPerDay = 0.0
  }

  var learned = Learned()
  /// When the app's current shortcuts without a time were used (S4).
  var useFound: [AppID: Int] = [:]
  /// The predictions for each widget, and the instances that have them.
  var predictions: [Expectation?]
  var isPredicted: [Bool]
  /// Whether the instance's entry had expired when this was last noted.
  var wasExpired: [Bool]
  /// The actions of the current second.
  var happenings: [String] = []

  init(policy: Policy) {
    self.policy = policy
    configured = policy
    let count = widgets.count * Self.families.count
    exists = Array(repeating: false, count: count)
    timelines = Array(repeating: nil, count: count)
    publications = Array(repeating: 0, count: count)
    isPredicted = Array(repeating: false, count: count)
    wasExpired = Array(repeating: false, count: count)
    relevance = Array(repeating: nil, count: count)
    reload = Array(repeating: .none, count: count)
    countedReloads = Array(repeating: [], count: count)
    frontSeconds = Array(repeating: [0], count: count)
    tallies = Array(repeating: Tally(), count: count)
    openWindows = Array(repeating: [], count: widgets.count)
    outcomes = Array(repeating: (0, 0), count: count)
    predictions = Array(repeating: nil, count: widgets.count)
  }

  /// Runs one second: due work first, then the events in order. `learned` has the learned state before the events and
  /// after each.
  mutating func live(_ second: Int, _ events: [Event], learned: [Learned]) {
    now = second
    self.learned = learned[0]
    happenings = []
    for instance in instances {
      for entry in timelines[instance]?.entries ?? [] where Self.second(entry.date) == now { provide(entry, instance) }
      noteExpiry(instance)
    }
    decide()
    for (event, learned) in zip(events, learned.dropFirst()) {
      apply(event)
      self.learned = learned
      decide()
      if case .donationsDeleted(let app, _) = event { forgetCounts(of: app) }
    }
    for instance in instances {
      let isInFront = stacks.contains { $0.isVisible && $0.shownFront == instance }
      frontSeconds[instance].append(frontSeconds[instance][now] + (isInFront ? 1 : 0))
      tallies[instance].note(isInFront: isInFront, now)
    }
  }

  static func second(_ instant: Instant) -> Int {
    Int((instant.milliseconds - RandomDay.start.milliseconds) / 1000)
  }

  // MARK: Timelines

  /// The score in force (T3).
  func effectiveScore(_ instance: Int) -> Double {
    guard let force = relevance[instance], force.start <= now else { return 0 }
    if let end = force.end, now >= end { return 0 }
    return force.score
  }

  /// Reaches an entry (T3). Its episode continues if the same entry was evidence until now; otherwise a new one starts.
  mutating func provide(_ entry: TimelineEntry, _ instance: Int) {
    guard let provided = entry.relevance else { return }
    let start = Self.second(entry.date)
    let span = Int(provided.duration.milliseconds / 1000)
    var (episode, episodeStart) = (episodeCount + 1, now)
    if let old = relevance[instance], old.start == start, effectiveScore(instance) > 0 {
      (episode, episodeStart) = (old.episode, old.episodeStart)
    }
    episodeCount = max(episodeCount, episode)
    relevance[instance] = Relevance(
      score: provided.score, start: start, end: span == 0 ? nil : start + span, episode: episode,
      episodeStart: episodeStart)
  }

  /// Whether the current entry has expired, so that nothing counts for the instance (W4).
  func isExpired(_ instance: Int) -> Bool {
    let current = timelines[instance]?.entries.last { Self.second($0.date) <= now }
    return current?.expiry.map { Self.second($0) <= now } ?? false
  }

  /// Ends the relevance of an expired entry, and begins new episodes when another entry follows (W4, R4).
  mutating func noteExpiry(_ instance: Int) {
    let isExpired = isExpired(instance)
    if isExpired { endRelevance(instance, at: now) }
    if wasExpired[instance], !isExpired { restartEpisodes(of: widget(instance)) }
    wasExpired[instance] = isExpired
  }

  private mutating func restartEpisodes(of widget: Int) {
    func next(after episode: Int) -> Int {
      episodeCount += 1
      if spentEpisodes.contains(episode) { spentEpisodes.insert(episodeCount) }
      return episodeCount
    }
    openWindows[widget] = openWindows[widget].map {
      OpenWindow(start: $0.start, episode: next(after: $0.episode), episodeStart: now)
    }
    predictions[widget] = predictions[widget].map {
      Expectation(names: $0.names, probability: $0.probability, episode: next(after: $0.episode), start: now)
    }
  }

  /// Ends the relevance in force at a second, unless it ended before: no entry without relevance brings it back (W4).
  mutating func endRelevance(_ instance: Int, at second: Int) {
    guard let old = relevance[instance] else { return }
    relevance[instance] = Relevance(
      score: old.score, start: old.start, end: min(old.end ?? second, second), episode: old.episode,
      episodeStart: old.episodeStart)
  }

  /// Updates the scores in force: closes ended ones, and opens new ones.
  mutating func noteScores() {
    for index in pastScores.indices where pastScores[index].end == nil {
      let past = pastScores[index]
      let isInForce =
        effectiveScore(past.instance) == past.score && relevance[past.instance]?.episode == past.episode
      if !isInForce { pastScores[index].end = now }
    }
    for instance in instances where effectiveScore(instance) > 0 {
      if pastScores.contains(where: { $0.instance == instance && $0.end == nil }) { continue }
      guard let episode = relevance[instance]?.episode else { continue }
      let score = PastScore(
        kind: kinds[widget(instance)], instance: instance, score: effectiveScore(instance), episode: episode)
      pastScores.append(score)
    }
    let memory = Int(policy.scoreRetention.milliseconds / 1000)
    pastScores.removeAll { past in past.end.map { now >= $0 + memory } ?? false }
  }

  /// The highest positive score of the kind: past, current and future (T6).
  func reference(_ kind: Int) -> Double {
    var highest = 0.0
    for past in pastScores where past.kind == kind { highest = max(highest, past.score) }
    for instance in instances where kinds[widget(instance)] == kind {
      for entry in timelines[instance]?.entries ?? [] { highest = max(highest, entry.relevance?.score ?? 0) }
    }
    return highest
  }

  /// The evidence of an instance (R1), with its strength rounded to 2^-20 and scaled by its outcome factor (R11).
  func evidence(_ instance: Int) -> Double {
    let (good, bad) = (outcomes[instance].good + policy.priorGood, outcomes[instance].bad + policy.priorBad)
    let factor = good / (good + bad) / (policy.priorGood / (policy.priorGood + policy.priorBad))
    var evidence = 0.0
    let score = effectiveScore(instance)
    if score > 0 {
      let strength = (score / reference(kinds[widget(instance)]) * 1_048_576).rounded() / 1_048_576
      evidence += -log(1 - policy.timelineWeight * min(1, strength * factor))
    }
    if !windows(of: instance).isEmpty { evidence += -log(1 - policy.shortcutWeight * min(1, factor)) }
    if let prediction = prediction(of: instance) {
      evidence += predictionEvidence(prediction.probability, factor)
    }
    return evidence
  }

  /// The current episodes of the instance's evidence, with their starts.
  func episodes(_ instance: Int) -> [(id: Int, start: Int)] {
    var all = windows(of: instance).map { ($0.episode, $0.episodeStart) }
    if effectiveScore(instance) > 0, let force = relevance[instance] { all.append((force.episode, force.episodeStart)) }
    if let prediction = prediction(of: instance) { all.append((prediction.episode, prediction.start)) }
    return all
  }

  // MARK: Deciding

  mutating func decide() {
    noteUse()
    noteWindows()
    notePredictions()
    noteScores()
    for instance in instances { requestReload(instance) }
    withdraw()
    for index in stacks.indices { rotate(index) }
    while suggest() {}
    for index in stacks.indices where stacks[index].brought?.instance != stacks[index].shownFront {
      stacks[index].brought = nil
    }
  }

  /// Rotates a stack until no widget outranks its front. A pin in force comes first, and the resting front last.
  mutating func rotate(_ index: Int) {
    withdrawRepresented(index)
    noteQuiet(index)
    if followPin(index) || !returnAfterPin(index) { return }
    while let winner = winner(stacks[index]) {
      happenings.append("\(stacks[index].id) rotates to \(widget(winner))")
      tallies[winner].count(\.rotations, now)
      // One prediction that replaces another is final, so that the two do not alternate (R4).
      if let front = stacks[index].front, !stacks[index].isSuggestionInFront,
        !isOnlyPredicted(winner) || !isOnlyPredicted(front)
      {
        stacks[index].replaced.insert(front)
      }
      stacks[index].replaced.remove(winner)
      show(winner, index)
      stacks[index].rotations.append(now)
      stacks[index].movedBy.formUnion(episodes(winner).map(\.id))
      stacks[index].brought = (winner, now)
      withdrawRepresented(index)
    }
    rest(index)
  }

  /// Makes an instance the front of its stack.
  mutating func show(_ instance: Int, _ index: Int) {
    stacks[index].isSuggestionInFront = stacks[index].suggested == instance
    if !stacks[index].isSuggestionInFront { stacks[index].front = instance }
  }

  /// Whether dwell and hold allow the engine to change the stack (R3).
  func isIdle(_ stack: Stack) -> Bool {
    if isDeveloperModeOn { return true }
    for last in [stack.rotations.last, stack.insertions.last].compactMap(\.self)
    where .seconds(Int64(now - last)) < policy.dwell {
      return false
    }
    if let last = stack.lastTouch, .seconds(Int64(now - last)) < policy.hold { return false }
    return true
  }

  func isWithin(_ seconds: [Int], _ maximum: Int) -> Bool {
    isDeveloperModeOn || seconds.count { now - $0 < 86_400 } < maximum
  }

  /// The instance to rotate to (R2, R3, R8).
  func winner(_ stack: Stack) -> Int? {
    guard stack.isSmartRotateOn, let front = stack.shownFront, isIdle(stack),
      isWithin(stack.rotations, policy.rotationCountMax), !stack.neverAway.contains(front)
    else { return nil }
    var best: (instance: Int, evidence: Double, start: Int)?
    for instance in stack.shown where instance != front && !stack.neverTo.contains(instance) {
      let (mine, lead) = (evidence(instance), evidence(instance) - evidence(front))
      let sources = episodes(instance)
      guard mine > 0, mine >= policy.threshold, lead > 0,
        lead >= (isOnlyPredicted(instance) ? policy.margin : margin(instance, over: front)),
        pays(instance, over: front, on: stack), let start = sources.map(\.start).max(),
        sources.contains(where: { !spentEpisodes.contains($0.id) && mayMove($0.id, instance, stack) }),
        !isRepresented(instance, on: stack)
      else { continue }
      if let best, best.evidence > mine || (best.evidence == mine && best.start >= start) { continue }
      best = (instance, mine, start)
    }
    return best?.instance
  }

  /// Whether an episode has not moved the stack, or a rotation replaced its instance and the episodes that brought the
  /// present front are over (R4).
  private func mayMove(_ episode: Int, _ instance: Int, _ stack: Stack) -> Bool {
    let holders = stack.shownFront.map(episodes)?.filter { stack.movedBy.contains($0.id) } ?? []
    return !stack.movedBy.contains(episode) || stack.replaced.contains(instance) && holders.isEmpty
  }
}
