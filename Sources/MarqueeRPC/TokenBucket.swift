/// Allows bursts up to a capacity and a steady rate after that. Time is a parameter.
public struct TokenBucket: Sendable {
  /// How many at once, and how many a second after that.
  public struct Rate: Hashable, Sendable {
    /// Most that may come at once; at least 1.
    public var burst: Int
    /// How many come back each second; at least 1.
    public var perSecond: Int

    /// A rate; both numbers must be positive.
    public init(burst: Int, perSecond: Int) {
      precondition(burst > 0 && perSecond > 0, "a rate of \(burst) and \(perSecond) a second lets nothing through")
      self.burst = burst
      self.perSecond = perSecond
    }
  }

  private let rate: Rate
  private var tokens: Int
  private var refilledAt: MonotonicTime

  /// A full bucket.
  public init(_ rate: Rate, at now: MonotonicTime) {
    self.rate = rate
    tokens = rate.burst
    refilledAt = now
  }

  /// Takes one token; `false` when there is none left.
  public mutating func take(at now: MonotonicTime) -> Bool {
    if tokens < rate.burst { refill(at: now) }
    guard tokens > 0 else { return false }
    tokens -= 1
    return true
  }

  private mutating func refill(at now: MonotonicTime) {
    let nanosecondsPerToken = max(1, 1_000_000_000 / Int64(rate.perSecond))
    let earned = (now.nanoseconds - refilledAt.nanoseconds) / nanosecondsPerToken
    guard earned > 0 else { return }
    if earned >= Int64(rate.burst - tokens) {
      tokens = rate.burst
      refilledAt = now
    } else {
      tokens += Int(earned)
      refilledAt = MonotonicTime(nanoseconds: refilledAt.nanoseconds + earned * nanosecondsPerToken)
    }
  }
}
