import MarqueeModel

/// The watch face lists relevant shortcuts of all apps, those that name a widget kind as well (rules S5, S6).
///
/// The most relevant come first: whose window is open, the one that began last first; who are at their place, the
/// nearest first; whose situation is in force, the one told last first; whose window is ahead, the soonest first; who
/// wait for a place or a situation; and last who say nothing of when. Those all of whose windows are over, and who have
/// no other providers, are not listed. What is equal goes by app and by its place in the app's set (rule R8).
///
/// A situation is in force from the moment at which a display tells it until another is told, and no longer than
/// ``RoutineEvent/end``; also while a focus is on that has its name, such as `work`. Nothing is derived from the time
/// of day: what morning is, a display says.
extension Device {
  /// The first `count` shortcuts of the watch face.
  public func watchFace(count: Int) -> [WatchFaceItem] {
    precondition(count >= 0, "\(count) items")
    var ranked: [RankedItem] = []
    for (app, shortcuts) in book.shortcuts {
      for (index, shortcut) in shortcuts.enumerated() where isDiscoverable(.shortcut(app, shortcut)) {
        guard let best = claims(of: shortcut).min(by: { $0.isBefore($1) }) else { continue }
        let item = WatchFaceItem(app: app, shortcut: shortcut, reason: best.reason, until: best.until)
        ranked.append(RankedItem(item: item, claim: best, index: index))
      }
    }
    return ranked.sorted { $0.isBefore($1) }.prefix(count).map(\.item)
  }

  /// The next instant at which ``watchFace(count:)`` can give another answer without an event; `nil` when time alone
  /// changes nothing.
  public var nextWatchFaceChange: Instant? {
    let ends = book.shortcuts.values.joined().flatMap { claims(of: $0).compactMap(\.until) }
    return ends.min()
  }

  /// What each of the shortcut's providers makes of the present; none when it has had its time.
  private func claims(of shortcut: RelevantShortcut) -> [Claim] {
    guard !shortcut.providers.isEmpty else { return [Claim(.anyTime)] }
    let windows = windowClaim(shortcut.windows)
    return (windows.map { [$0] } ?? []) + shortcut.providers.compactMap(claim)
  }

  private func windowClaim(_ windows: [DateWindow]) -> Claim? {
    guard let span = joinedSpans(of: windows).first(where: { now < $0.end }) else { return nil }
    guard span.start <= now else { return Claim(.windowAhead(span.start), until: span.start) }
    return Claim(.window(since: span.start), until: span.end < .max ? span.end : nil)
  }

  /// The windows by rising start, those that overlap or meet as one, and none that ends as it starts.
  private func joinedSpans(of windows: [DateWindow]) -> [(start: Instant, end: Instant)] {
    let spans = windows.map { (start: $0.start, end: $0.end(pointLength: policy.pointLength)) }
    var joined: [(start: Instant, end: Instant)] = []
    for span in spans.sorted(by: { ($0.start, $0.end) < ($1.start, $1.end) }) where span.start < span.end {
      if let last = joined.last, span.start <= last.end {
        joined[joined.count - 1].end = max(last.end, span.end)
      } else {
        joined.append(span)
      }
    }
    return joined
  }

  private func claim(of provider: RelevanceProvider) -> Claim? {
    switch provider {
    case .date: return nil
    case .other: return Claim(.unknownProvider)
    case .location(let region):
      guard let distance = context.place.map(region.center.distance) else { return Claim(.placeAway(distance: nil)) }
      return Claim(distance <= region.radius ? .place(distance: distance) : .placeAway(distance: distance))
    case .dailyRoutine(let situation):
      if let event = context.routine, event.situation == situation, now < event.end {
        return Claim(.situation(situation, since: event.at), until: event.end < .max ? event.end : nil)
      }
      let isInFocus = context.focus?.text == "\(situation)"
      return Claim(isInFocus ? .situation(situation, since: nil) : .situationAbsent(situation))
    }
  }
}

/// What a provider makes of the present, and until when.
private struct Claim {
  let reason: WatchFaceItem.Reason
  let until: Instant?

  init(_ reason: WatchFaceItem.Reason, until: Instant? = nil) {
    self.reason = reason
    self.until = until
  }

  /// Where it stands: reasons of a lower tier come first, and of one tier those of a lower measure.
  private var rank: (tier: Int, measure: Double) {
    switch reason {
    case .window(let since): (0, -Double(since.milliseconds))
    case .place(let distance): (1, distance)
    case .situation(_, let since): (2, -Double(since?.milliseconds ?? 0))
    case .windowAhead(let start): (3, Double(start.milliseconds))
    case .placeAway(let distance): (4, distance ?? .infinity)
    case .situationAbsent(let situation): (5, Double(situation.rawValue))
    case .unknownProvider: (6, 0)
    case .anyTime: (7, 0)
    }
  }

  func isBefore(_ other: Claim) -> Bool { rank < other.rank }
}

private struct RankedItem {
  let item: WatchFaceItem
  let claim: Claim
  /// The shortcut's place in its app's set.
  let index: Int

  func isBefore(_ other: RankedItem) -> Bool {
    if claim.isBefore(other.claim) { return true }
    if other.claim.isBefore(claim) { return false }
    return (item.app, index) < (other.item.app, other.index)
  }
}
