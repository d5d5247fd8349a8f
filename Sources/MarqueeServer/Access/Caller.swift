import Foundation
import MarqueeRPC
import MarqueeTransport
import Synchronization

/// Who calls, as far as can be proved, and what they may do.
final class Caller: Sendable {
  /// The proof of who it is.
  enum Proof: Sendable {
    /// The connection itself: a process of this machine, or a certificate.
    case connection(Peer)
    /// A token, in its compact form.
    case token([UInt8])
  }

  /// One of whom there may be many connections; calls are counted for each.
  enum Identity: Hashable, Sendable {
    case user(UInt32)
    case certificate([String])
    case token(issuer: String, subject: String)
    /// Somebody on this machine, over TCP.
    case loopback
  }

  let proof: Proof
  let rights: Rights
  /// The first second since 1970 at which the proof is good no more, or `nil`.
  let end: Int64?
  /// Which policy gave the rights.
  let generation: Int
  /// `nil` for those whose calls are not counted.
  private let rate: CallRate?

  init(_ proof: Proof, _ rights: Rights, until end: Int64?, generation: Int, rate: CallRate?) {
    self.proof = proof
    self.rights = rights
    self.end = end
    self.generation = generation
    self.rate = rate
  }

  /// Counts a call; refuses it when the proof is no longer good, or the caller has made too many.
  func begin(at now: MonotonicTime) throws(RPCStatus) {
    if let end, Self.now >= end { throw RPCStatus(.unauthenticated, "the token or certificate has expired") }
    try rate?.take(at: now)
  }

  /// Waits until the proof is good no more, and throws what ends a stream then: a client may have a newer one.
  func untilEnd() async throws {
    guard let end else { return }
    while case let rest = end - Self.now, rest > 0 {
      // Not longer at a time, since the machine's clock may be set meanwhile.
      try await Task.sleep(for: .seconds(min(rest, 60)))
    }
    throw RPCStatus(.unavailable, "the token or certificate has expired; call again with a newer one")
  }

  /// Seconds since 1970, by the machine's clock whatever clock the server goes by: proofs come from outside.
  static var now: Int64 { Int64(time(nil)) }
}

/// How many calls one identity may make.
final class CallRate: Sendable {
  private let rate: TokenBucket.Rate
  /// `nil` before the first call.
  private let bucket = Mutex<TokenBucket?>(nil)

  init(_ rate: TokenBucket.Rate) {
    self.rate = rate
  }

  /// Counts a call; throws `RESOURCE_EXHAUSTED` when there were too many.
  func take(at now: MonotonicTime) throws(RPCStatus) {
    let isTaken = bucket.withLock { bucket in
      var counted = bucket ?? TokenBucket(rate, at: now)
      defer { bucket = counted }
      return counted.take(at: now)
    }
    guard isTaken else {
      throw RPCStatus(
        .resourceExhausted, "call-rate-max is \(rate.perSecond) calls a second of one caller; come back later")
    }
  }
}
