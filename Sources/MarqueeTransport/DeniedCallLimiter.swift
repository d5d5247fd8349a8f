import MarqueeRPC
import Synchronization

/// Token buckets, by network of origin, for denied calls and for connections that end without an admitted call.
///
/// They keep a peer from evading the limit per connection by reconnecting. The table is bounded: a full bucket can be
/// removed without effect.
final class DeniedCallLimiter: Sendable {
  /// The maximum number of origins in the table.
  private static let originCountMax = 4_096

  /// The status of connections that are closed or rejected because of this limit.
  let status: RPCStatus
  private let rate: TokenBucket.Rate
  private let buckets = Mutex<[PeerOrigin: TokenBucket]>([:])

  init(_ rate: TokenBucket.Rate) {
    self.rate = rate
    status = RPCStatus(
      .resourceExhausted, "too many denied calls from one network (address-denied-call-rate-max: \(rate.perSecond))")
  }

  /// The number of origins in the table.
  var count: Int { buckets.withLock(\.count) }

  /// Consumes a token of the origin's network, for a denied call. The server's owner is exempt.
  ///
  /// - Parameters:
  ///   - origin: The origin of the call; `nil` is exempt.
  ///   - now: The current time.
  /// - Returns: `false` if the network exceeds the rate.
  func tryConsume(for origin: PeerOrigin?, at now: MonotonicTime) -> Bool {
    guard let origin = origin?.network, origin != .owner else { return true }
    return buckets.withLock { buckets in
      if buckets[origin] == nil, buckets.count >= Self.originCountMax { Self.makeRoom(in: &buckets, at: now) }
      return buckets[origin, default: TokenBucket(rate, at: now)].tryConsume(at: now)
    }
  }

  /// Whether the origin has exhausted its rate at `now`.
  func isExhausted(_ origin: PeerOrigin?, at now: MonotonicTime) -> Bool {
    guard let origin = origin?.network else { return false }
    return buckets.withLock { $0[origin]?.isEmpty(at: now) ?? false }
  }

  /// Removes full buckets, or all buckets if most are not full, so that a flood from many origins cannot grow the
  /// table.
  private static func makeRoom(in buckets: inout [PeerOrigin: TokenBucket], at now: MonotonicTime) {
    buckets = buckets.filter { !$0.value.isFull(at: now) }
    if buckets.count > originCountMax / 2 { buckets = [:] }
  }
}
