import Foundation
import MarqueeModel
import MarqueeRPC
import MarqueeTransport
import Synchronization

/// An authenticated client, with its permissions under one generation of the access policy.
final class Principal: Sendable {
  /// The credential that authenticates the principal.
  enum Credential: Sendable {
    /// The connection itself: the credentials of a local process, a client certificate, or a loopback address.
    case connection(Peer)
    /// The value of the `authorization` metadata, which must be a bearer token.
    case token([UInt8])
  }

  /// The identity of a principal; it may have many connections.
  enum Identity: Hashable, Sendable {
    case user(UInt32)
    case certificate([ExactText])
    case token(issuer: ExactText, subject: ExactText)
    /// The bearer of a session's token.
    case session(SessionID)
    /// All sessions that an identity has created, whose calls are counted together.
    case sessions(creator: ExactText)
    /// Any TCP client on this machine.
    case loopback
    /// An unauthenticated client, identified by its origin only.
    case anonymous(PeerOrigin?)
  }

  let identity: Identity
  /// The identity that calls are counted for.
  let account: Identity
  let credential: Credential
  let permissions: Permissions
  /// The first second since 1970 at which the credential is no longer valid; `nil` if it does not expire.
  let expiry: Int64?
  /// The generation of the policy that granted the permissions.
  let generation: Int
  /// Whether another server of the cluster has authorized the call, and passes it on.
  let isForwarded: Bool
  /// The rate limit of calls; `nil` for unlimited.
  private let rate: CallRate?

  init(
    _ identity: Identity, _ credential: Credential, _ permissions: Permissions, until expiry: Int64?, generation: Int,
    rate: CallRate?, account: Identity? = nil, isForwarded: Bool = false
  ) {
    self.identity = identity
    self.account = account ?? identity
    self.credential = credential
    self.permissions = permissions
    self.expiry = expiry
    self.generation = generation
    self.isForwarded = isForwarded
    self.rate = rate
  }

  /// Whether the credential has not expired.
  var isValid: Bool { expiry.map { Self.now < $0 } ?? true }

  /// Counts a call; throws if the credential has expired or the principal exceeds its call rate.
  func beginCall(at now: MonotonicTime) throws(RPCStatus) {
    guard isValid else { throw RPCStatus(.unauthenticated, "the token or certificate has expired") }
    try rate?.consume(at: now)
  }

  /// Returns the principal of a call that this one, a node of the cluster, passes on.
  ///
  /// Its permissions are those of the node, because the node has authorized the call.
  ///
  /// - Parameter text: The client that made the call: see ``encoded``.
  /// - Throws: ``RPCStatus`` unless this principal is an operator, as which nodes authenticate, and no session.
  func forwarding(for text: String) throws(RPCStatus) -> Principal {
    guard isValid else { throw RPCStatus(.unauthenticated, "the token or certificate has expired") }
    let parts = text.split(separator: " ").compactMap { Identity(encoded: String($0)) }
    guard permissions.adminAccess == .full, !identity.isSession, parts.count == 2 else {
      throw RPCStatus(.permissionDenied, "permission denied: only servers of the cluster pass calls on")
    }
    return Principal(
      parts[0], credential, permissions, until: expiry, generation: generation, rate: nil, account: parts[1],
      isForwarded: true)
  }

  /// The identity of the principal, and the one that its calls are counted for, in printable ASCII.
  var encoded: String { "\(identity.encoded) \(account.encoded)" }

  /// Waits until the credentials expire or the task is cancelled.
  ///
  /// - Returns: The status that ends the principal's streams, or `nil` if the credentials have not expired.
  func waitForExpiry() async -> RPCStatus? {
    guard let expiry else { return nil }
    while case let remaining = expiry - Self.now, remaining > 0 {
      // At most a minute at a time: the system clock may be set meanwhile.
      do { try await Task.sleep(for: .seconds(min(remaining, 60))) } catch { return nil }
    }
    return RPCStatus(.unavailable, "the token or certificate has expired; retry with a renewed one")
  }

  /// The seconds since 1970 by the system clock, which credentials refer to even if the server's clock is manual.
  static var now: Int64 { Int64(time(nil)) }

  /// The instant of ``now``.
  static var currentInstant: Instant { instant(now) }

  /// Returns the instant of a number of seconds since 1970.
  static func instant(_ seconds: Int64) -> Instant {
    let (milliseconds, overflow) = seconds.multipliedReportingOverflow(by: 1_000)
    return overflow ? .max : Instant(milliseconds: milliseconds) ?? .max
  }
}

extension Principal.Identity: CustomStringConvertible {
  /// The identity in words, such as `user 1000`.
  var description: String {
    switch self {
    case .user(let number): "user \(number)"
    case .certificate(let names): "certificate \(names.map(\.text).joined(separator: ", "))"
    case .token(let issuer, let subject): "\(subject.text) of \(issuer.text)"
    case .session(let id): "session \(id)"
    case .sessions(let creator): "sessions of \(creator.text)"
    case .loopback: "loopback"
    case .anonymous: "anonymous"
    }
  }
}

/// The rate limit of the calls of one principal.
final class CallRate: Sendable {
  private let rate: TokenBucket.Rate
  /// The token bucket; `nil` before the first call.
  private let bucket = Mutex<TokenBucket?>(nil)

  init(_ rate: TokenBucket.Rate) {
    self.rate = rate
  }

  /// Whether removing the rate has no effect, because its bucket is full.
  func isUnused(at now: MonotonicTime) -> Bool { bucket.withLock { $0?.isFull(at: now) ?? true } }

  /// Counts a call; throws `RESOURCE_EXHAUSTED` if the rate and the burst are exceeded.
  func consume(at now: MonotonicTime) throws(RPCStatus) {
    let isWithinRate = bucket.withLock { bucket in
      var counted = bucket ?? TokenBucket(rate, at: now)
      defer { bucket = counted }
      return counted.tryConsume(at: now)
    }
    guard isWithinRate else {
      let message = "too many calls (call-rate-max: \(rate.perSecond), call-burst-max: \(rate.burst)); retry later"
      throw RPCStatus(.resourceExhausted, message).retryable()
    }
  }
}
