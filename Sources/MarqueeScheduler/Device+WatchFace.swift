import MarqueeModel

/// The watch face, which lists the relevant shortcuts of all apps, including those that name a widget kind.
///
/// The order is: open windows, the latest start first; places the user is at, the nearest first; situations in force,
/// the latest reported first; upcoming windows, the soonest first; other places and situations; and last, shortcuts
/// without providers. A shortcut whose windows are all over is not listed unless it has another provider. Ties go by
/// app, then by the position in the app's list.
///
/// A situation is in force from when a display reports it until another is reported, at most until
/// ``RoutineEvent/end``, and while a Focus with its name is on, such as `work`. Situations are never derived from the
/// time of day.
extension Device {
  /// Returns the first `count` shortcuts of the watch face.
  public func watchFace(count: Int) -> [WatchFaceItem] {
    precondition(count >= 0, "negative count: \(count)")
    var ranked: [RankedItem] = []
    for (app, shortcuts) in suggestionState.shortcuts {
      for (index, shortcut) in shortcuts.enumerated() where isDiscoverable(.shortcut(app, shortcut)) {
        guard let best = claims(of: shortcut).min(by: { $0.isBefore($1) }) else { continue }
        let item = WatchFaceItem(app: app, shortcut: shortcut, reason: best.reason, until: best.until)
        ranked.append(RankedItem(item: item, claim: best, index: index))
      }
    }
    return ranked.sorted { $0.isBefore($1) }.prefix(count).map(\.item)
  }

  /// The next instant at which ``watchFace(count:)`` can change without an event, or `nil` if time alone changes
  /// nothing.
  public var nextWatchFaceChange: Instant? {
    let ends = suggestionState.shortcuts.values.joined().flatMap { claims(of: $0).compactMap(\.until) }
    return ends.min()
  }

  /// Returns the present claims of the shortcut's providers; none if all of its windows are over and it has no other.
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

  /// Returns the windows in ascending order, with overlapping and adjacent ones joined, and without empty ones.
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

/// A reason to list a shortcut now, and how long it holds.
private struct Claim {
  let reason: WatchFaceItem.Reason
  let until: Instant?

  init(_ reason: WatchFaceItem.Reason, until: Instant? = nil) {
    self.reason = reason
    self.until = until
  }

  /// The sort key: lower tiers come first, then lower measures within a tier.
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
  /// The position in the app's list of shortcuts.
  let index: Int

  func isBefore(_ other: RankedItem) -> Bool {
    if claim.isBefore(other.claim) { return true }
    if other.claim.isBefore(claim) { return false }
    return (item.app, index) < (other.item.app, other.index)
  }
}
