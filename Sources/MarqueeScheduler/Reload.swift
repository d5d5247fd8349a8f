import MarqueeModel

/// The reload requests of a widget: the scheduled or open one, and those counted against its budget (rules T8, T9).
struct Reload: Equatable, Sendable {
  enum Phase: Equatable, Sendable {
    /// No request is scheduled or open.
    case none
    /// A request becomes due at the given instant.
    case scheduled(Instant, ReloadRequest.Reason)
    /// A request is due and waits for budget.
    case waiting(ReloadRequest.Reason)
    /// A request has been sent and not been answered with a timeline.
    case requested(Instant, ReloadRequest.Reason)
  }

  private(set) var phase = Phase.none
  /// When counted requests were sent, oldest first: at least those of the last 24 hours.
  private(set) var counted: [Instant] = []

  static let window = TimeSpan.days(1)
  /// The time after which an open request no longer keeps another one from being sent.
  static let answerTimeMax = TimeSpan.minutes(1)

  init() {}

  /// Creates the requests of a new instance, which counts those of another one as its own.
  init(counted: [Instant]) { self.counted = counted }

  /// Schedules the next request by the reload policy of a published timeline, which answers any open one (rule T8).
  ///
  /// A request for another size stays due: the timeline may be for the old one (rule W8).
  mutating func restart(_ policy: TimelineReloadPolicy, lastEntry: Instant?, at now: Instant) {
    if case .waiting(.resized) = phase { return }
    switch policy {
    case .atEnd: phase = .scheduled(lastEntry ?? now, .atEnd)
    case .after(let date): phase = .scheduled(date, .after)
    case .never: phase = .none
    }
  }

  /// Makes a request due now, unless one is due or open already.
  ///
  /// An open request gives way to one of the user or the app after ``answerTimeMax``: its provider has declined it.
  mutating func enqueue(_ reason: ReloadRequest.Reason, at now: Instant) {
    switch phase {
    case .none, .scheduled: phase = .waiting(reason)
    case .requested(let date, _):
      guard [.user, .app].contains(reason), date.advanced(by: Self.answerTimeMax) <= now else { return }
      phase = .waiting(reason)
    case .waiting: break
    }
  }

  /// Makes a request for another size due now, in place of any other one.
  mutating func enqueueResize() { phase = .waiting(.resized) }

  /// Makes an open request due again, because the instance that it names has another family now.
  mutating func renew() {
    if case .requested(_, let reason) = phase { phase = .waiting(reason) }
  }

  /// When a request is due: ``Instant/min`` if one waits for budget, or `nil` if there is none.
  var dueDate: Instant? {
    switch phase {
    case .scheduled(let date, _): date
    case .waiting: .min
    case .none, .requested: nil
    }
  }

  /// Makes a scheduled request due if its date has come, and returns the reason of the due request, if any.
  mutating func due(at now: Instant) -> ReloadRequest.Reason? {
    if case .scheduled(let date, let reason) = phase, date <= now { phase = .waiting(reason) }
    if case .waiting(let reason) = phase { return reason }
    return nil
  }

  /// Records that the request was sent.
  mutating func request(_ reason: ReloadRequest.Reason, at now: Instant, isCounted: Bool) {
    phase = .requested(now, reason)
    guard isCounted else { return }
    counted.removeAll { $0.advanced(by: Self.window) <= now }
    counted.append(now)
  }

  /// Discards counted requests later than `now`, and clamps the date of an open one to it.
  mutating func restateTime(at now: Instant) {
    counted.removeAll { $0 > now }
    if case .requested(let date, let reason) = phase { phase = .requested(min(date, now), reason) }
  }

  /// Returns the number of counted requests in the 24 hours up to `now`.
  func countedCount(at now: Instant) -> Int {
    counted.count - (counted.firstIndex { $0.advanced(by: Self.window) > now } ?? counted.count)
  }

  /// Returns the first instant at which spacing and budget allow a counted request, not before `now`.
  ///
  /// The result is valid until `nextRise`, when the budget may increase.
  func clears(at now: Instant, budget: Int, nextRise: Instant?, spacing: TimeSpan) -> Instant {
    let spaced = counted.last?.advanced(by: spacing) ?? now
    guard countedCount(at: now) >= budget else { return max(now, spaced) }
    let expiry = budget == 0 ? .max : counted[counted.count - budget].advanced(by: Self.window)
    return max(spaced, min(expiry, nextRise ?? .max))
  }
}

extension Reload: BinaryCodable {
  func write(to writer: inout ByteWriter) {
    switch phase {
    case .none: writer.write(tag: 0)
    case .scheduled(let date, let reason):
      writer.write(tag: 1)
      writer.write(date)
      writer.write(tag: reason.rawValue)
    case .waiting(let reason):
      writer.write(tag: 2)
      writer.write(tag: reason.rawValue)
    case .requested(let date, let reason):
      writer.write(tag: 3)
      writer.write(date)
      writer.write(tag: reason.rawValue)
    }
    writer.write(counted)
  }

  init(from reader: inout ByteReader) throws(BinaryDecodingError) {
    switch try reader.readTag() {
    case 0: phase = .none
    case 1: phase = .scheduled(try reader.read(), try Self.readReason(&reader))
    case 2: phase = .waiting(try Self.readReason(&reader))
    case 3: phase = .requested(try reader.read(), try Self.readReason(&reader))
    case let tag: throw reader.corrupt("unknown reload phase tag \(tag)")
    }
    counted = try reader.readRisingInstants(countMax: Policy.countMax)
  }

  private static func readReason(_ reader: inout ByteReader) throws(BinaryDecodingError) -> ReloadRequest.Reason {
    guard let reason = ReloadRequest.Reason(rawValue: try reader.readTag()) else {
      throw reader.corrupt("unknown reload reason")
    }
    return reason
  }
}
