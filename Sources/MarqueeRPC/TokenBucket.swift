/// A token-bucket rate limiter: allows bursts up to its capacity, and a steady rate otherwise.
///
/// The current time is a parameter of every method.
public struct TokenBucket: Sendable {
  /// The parameters of a bucket.
  public struct Rate: Hashable, Sendable {
    /// The capacity: the maximum burst; at least 1.
    public var burst: Int
    /// The number of tokens added per second; at least 1.
    public var perSecond: Int

    /// Creates a rate; both numbers must be positive.
    public init(burst: Int, perSecond: Int) {
      precondition(burst > 0 && perSecond > 0, "rate is not positive: burst \(burst), \(perSecond) per second")
      self.burst = burst
      self.perSecond = perSecond
    }
  }

  private let rate: Rate
  private var tokens: Int
  private var refilledAt: MonotonicTime

  /// Creates a full bucket.
  public init(_ rate: Rate, at now: MonotonicTime) {
    self.rate = rate
    tokens = rate.burst
    refilledAt = now
  }

  /// Removes one token, if there is one.
  ///
  /// - Parameter now: The current time.
  /// - Returns: Whether a token was removed; `false` if the bucket is empty.
  public mutating func tryConsume(at now: MonotonicTime) -> Bool {
    if tokens < rate.burst { refill(at: now) }
    guard tokens > 0 else { return false }
    tokens -= 1
    return true
  }

  /// Whether no token is left at `now`.
  public func isEmpty(at now: MonotonicTime) -> Bool {
    var bucket = self
    return !bucket.tryConsume(at: now)
  }

  /// Whether the bucket has its full capacity at `now`.
  public func isFull(at now: MonotonicTime) -> Bool {
    var bucket = self
    if bucket.tokens < rate.burst { bucket.refill(at: now) }
    return bucket.tokens == rate.burst
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
