import MarqueeModel

/// What a widget's provider is to be asked, and what it has been asked (rules T8, T9).
struct Reload: Equatable, Sendable {
  enum Phase: Equatable, Sendable {
    /// Nothing is due.
    case none
    /// A request becomes due then.
    case scheduled(Instant, ReloadRequest.Reason)
    /// A request is due and waits for budget.
    case waiting(ReloadRequest.Reason)
    /// A request has been made and not been answered with a timeline.
    case requested(Instant, ReloadRequest.Reason)
  }

  private(set) var phase = Phase.none
  /// When counted requests were made, oldest first; those of the last 24 hours, and perhaps older ones.
  private(set) var counted: [Instant] = []

  static let window = TimeSpan.days(1)

  init() {}

  /// A timeline was published: what was asked is answered, and its policy says what comes next (rule T8).
  mutating func restart(_ policy: TimelineReloadPolicy, lastEntry: Instant?, at now: Instant) {
    switch policy {
    case .atEnd: phase = .scheduled(lastEntry ?? now, .atEnd)
    case .after(let date): phase = .scheduled(date, .after)
    case .never: phase = .none
    }
  }

  /// Somebody asked for a reload; it waits for its turn unless a request is open already.
  mutating func ask(_ reason: ReloadRequest.Reason) {
    switch phase {
    case .none, .scheduled: phase = .waiting(reason)
    case .waiting, .requested: break
    }
  }

  /// When a request is due; ``Instant/min`` for one that waits for budget, `nil` when none is to be made.
  var dueDate: Instant? {
    switch phase {
    case .scheduled(let date, _): date
    case .waiting: .min
    case .none, .requested: nil
    }
  }

  /// Turns what is scheduled for `now` or earlier into a waiting request, and gives the reason of what waits.
  mutating func due(at now: Instant) -> ReloadRequest.Reason? {
    if case .scheduled(let date, let reason) = phase, date <= now { phase = .waiting(reason) }
    if case .waiting(let reason) = phase { return reason }
    return nil
  }

  /// Records that the request was made.
  mutating func request(_ reason: ReloadRequest.Reason, at now: Instant, isCounted: Bool) {
    phase = .requested(now, reason)
    guard isCounted else { return }
    counted.removeAll { $0.advanced(by: Self.window) <= now }
    counted.append(now)
  }

  /// Counted requests in the 24 hours up to `now`.
  func countedCount(at now: Instant) -> Int {
    counted.count - (counted.firstIndex { $0.advanced(by: Self.window) > now } ?? counted.count)
  }

  /// The first instant from `now` on at which spacing and budget allow a counted request, as far as is known: `budget`
  /// can rise at `nextRise`, and then the answer is to be asked for again.
  func clears(at now: Instant, budget: Int, nextRise: Instant?, spacing: TimeSpan) -> Instant {
    let spaced = counted.last?.advanced(by: spacing) ?? now
    guard countedCount(at: now) >= budget else { return max(now, spaced) }
    let expiry = budget == 0 ? .max : counted[counted.count - budget].advanced(by: Self.window)
    return max(spaced, min(expiry, nextRise ?? .max))
  }
}

extension Reload: ByteCodable {
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

  init(from reader: inout ByteReader) throws(CorruptBytes) {
    switch try reader.readTag() {
    case 0: phase = .none
    case 1: phase = .scheduled(try reader.read(), try Self.readReason(&reader))
    case 2: phase = .waiting(try Self.readReason(&reader))
    case 3: phase = .requested(try reader.read(), try Self.readReason(&reader))
    case let tag: throw reader.corrupt("\(tag) is no reload phase")
    }
    counted = try reader.readRisingInstants(countMax: Policy.countMax)
  }

  private static func readReason(_ reader: inout ByteReader) throws(CorruptBytes) -> ReloadRequest.Reason {
    guard let reason = ReloadRequest.Reason(rawValue: try reader.readTag()) else {
      throw reader.corrupt("no reload reason")
    }
    return reason
  }
}
