import Foundation
import MarqueeModel
import MarqueeRPC
import MarqueeRuntime
import MarqueeTransport
import MarqueeWire
import Synchronization

/// Authenticates principals and evaluates the access policy in force, which can be replaced at any time.
final class AccessController: Sendable {
  /// The maximum number of cached tokens, and of cached call rates. A cache that exceeds it is cleared.
  private static let cacheCountMax = 4_096

  private struct State {
    var policy: AccessPolicy
    var generation = 0
    /// The principals of the tokens that were verified against the policy in force.
    var principals: [[UInt8]: Principal] = [:]
    var rates: [Principal.Identity: CallRate] = [:]
  }

  private let state: Mutex<State>
  private let latest = Atomic(0)
  /// The sessions that the server has issued.
  let sessions: SessionTable
  /// The state of the server in its cluster, if any.
  private let node: NodeState?

  init(_ policy: AccessPolicy, _ sessions: SessionTable, node: NodeState? = nil) {
    state = Mutex(State(policy: policy))
    self.sessions = sessions
    self.node = node
  }

  /// The generation of the policy in force; every replacement increments it.
  var generation: Int { latest.load(ordering: .acquiring) }

  /// The policy in force.
  var policy: AccessPolicy { state.withLock(\.policy) }

  /// Replaces the policy. Call rates keep their state unless the rate limit itself changes.
  func replace(with policy: AccessPolicy) {
    state.withLock { state in
      if policy.callRate != state.policy.callRate { state.rates = [:] }
      state.policy = policy
      invalidate(&state)
    }
  }

  /// Authenticates every principal again, after a session was revoked.
  func invalidate() {
    state.withLock { invalidate(&$0) }
  }

  private func invalidate(_ state: inout State) {
    state.principals = [:]
    state.generation += 1
    latest.store(state.generation, ordering: .releasing)
  }

  /// Returns the principal that a credential authenticates, with its permissions; throws `UNAUTHENTICATED`.
  func principal(for credential: Principal.Credential) throws(RPCStatus) -> Principal {
    switch credential {
    case .connection(let peer): return try principal(of: peer)
    case .token(let token):
      if let cached = state.withLock({ $0.principals[token] }) { return cached }
      if let sessionToken = SessionToken(authorization: token) { return try principal(token, sessionToken) }
      return try verifiedPrincipal(token)
    }
  }

  /// Returns the principal of a token that no signature has to be verified for: one that was verified on any
  /// connection, or that of a session; `nil` for other tokens.
  func knownPrincipal(of token: [UInt8]) -> Principal? {
    if let cached = state.withLock({ $0.principals[token] }) { return cached }
    guard let session = SessionToken(authorization: token) else { return nil }
    // An invalid token of a session is authenticated, and rejected, like any other that is new.
    return try? principal(token, session)
  }

  /// Returns the rate limit of the anonymous calls of an unauthenticated peer, which are counted by the peer's origin.
  func anonymousCallRate(of peer: Peer) -> CallRate {
    state.withLock { state in
      Self.rate(of: .anonymous(peer.origin), state.policy.callRate ?? AccessPolicy.defaultCallRate, &state)
    }
  }

  /// Returns the same principal with its permissions under the policy in force.
  func principal(revalidating principal: Principal) throws(RPCStatus) -> Principal {
    try self.principal(for: principal.credential)
  }

  private func principal(of peer: Peer) throws(RPCStatus) -> Principal {
    let identity: Principal.Identity
    if let credentials = peer.credentials {
      identity = .user(credentials.userID)
    } else if !peer.certificateNames.isEmpty {
      identity = .certificate(peer.certificateNames.map(ExactText.init))
    } else if peer.isLoopback {
      identity = .loopback
    } else {
      let isLocal = peer.address == "unix"
      throw isLocal ? Self.unmapped : state.withLock(\.policy.isEmpty) ? .noAccessPolicy : Self.unauthenticated
    }
    return try state.withLock { (state) throws(RPCStatus) in
      let permissions = state.policy.permissions(of: peer)
      // A loopback address is a credential only if the policy has a rule for it.
      if identity == .loopback, permissions == Permissions() {
        throw state.policy.isEmpty ? .noAccessPolicy : Self.unauthenticated
      }
      return Principal(
        identity, .connection(peer), permissions, until: peer.certificateEnd.map { $0 + 1 },
        generation: state.generation, rate: Self.rate(of: identity, &state))
    }
  }

  private static let unauthenticated = RPCStatus(
    .unauthenticated,
    "unauthenticated: present a bearer token or a client certificate, or connect over the Unix socket")

  private static let unmapped = RPCStatus(
    .unauthenticated, "unauthenticated: the server's user namespace does not map your user; present a bearer token")

  /// Returns the principal of a session's token. The sessions are looked up in every generation, which a revocation
  /// ends, and so does the end of the lease, without which other servers may have revoked them.
  private func principal(_ token: [UInt8], _ parsed: SessionToken) throws(RPCStatus) -> Principal {
    let generation = generation
    guard node?.isLeaseOver != true else { throw RPCStatus(.unavailable, RuntimeError.leaseEnded.message) }
    guard let session = sessions.session(of: parsed) else {
      throw RPCStatus(.unauthenticated, "the session has expired or was revoked, or the token is invalid")
    }
    let identity = Principal.Identity.session(session.id)
    let account = session.isOfOwner ? identity : .sessions(creator: ExactText(session.creator))
    let rate = state.withLock { state in
      Self.rate(of: account, state.policy.callRate ?? AccessPolicy.defaultCallRate, &state)
    }
    return Principal(
      identity, .token(token), Permissions(of: session), until: session.expiry.milliseconds / 1_000,
      generation: generation, rate: rate, account: account)
  }

  /// Verifies a token outside the lock, so that other calls do not wait for the signature check.
  private func verifiedPrincipal(_ token: [UInt8]) throws(RPCStatus) -> Principal {
    let (policy, generation) = state.withLock { ($0.policy, $0.generation) }
    guard !policy.isEmpty else { throw .noAccessPolicy }
    guard let bearer = BearerCredentials(authorization: token) else {
      throw RPCStatus(.unauthenticated, "authorization metadata is not a bearer token")
    }
    let claims = try UnverifiedToken(bearer.token).verified(by: policy.issuers, at: Principal.now)
    let identity = Principal.Identity.token(issuer: claims.issuer, subject: claims.subject)
    return state.withLock { state in
      let principal = Principal(
        identity, .token(token), policy.permissions(of: claims), until: claims.expiry, generation: generation,
        rate: Self.rate(of: identity, &state))
      if state.generation == generation {
        if state.principals.count >= Self.cacheCountMax { state.principals = [:] }
        state.principals[token] = principal
      }
      return principal
    }
  }

  /// Returns the call rate limit of a principal, shared by all its connections; `nil` for owners of the server's data.
  private static func rate(of identity: Principal.Identity, _ state: inout State) -> CallRate? {
    guard let limit = state.policy.callRate, !identity.isOwner else { return nil }
    return rate(of: identity, limit, &state)
  }

  /// Removes the rates of principals that have made no call recently, or all rates if most have, so that callers from
  /// many addresses cannot grow the table. Principals with open connections keep a reference to their own rate.
  private static func makeRoom(in rates: inout [Principal.Identity: CallRate]) {
    let now = MonotonicTime.now
    rates = rates.filter { !$0.value.isUnused(at: now) }
    if rates.count > cacheCountMax / 2 { rates = [:] }
  }

  private static func rate(
    of identity: Principal.Identity, _ limit: TokenBucket.Rate, _ state: inout State
  ) -> CallRate {
    if let cached = state.rates[identity] { return cached }
    if state.rates.count >= cacheCountMax { makeRoom(in: &state.rates) }
    let rate = CallRate(limit)
    state.rates[identity] = rate
    return rate
  }
}

extension Principal.Identity {
  /// Whether it is root or the server's own user, who can access the server's files and stop its process anyway.
  var isOwner: Bool {
    guard case .user(let number) = self else { return false }
    return number == 0 || number == geteuid()
  }
}

extension AccessSession {
  /// Whether an owner of the server's data created the session.
  var isOfOwner: Bool {
    [0, geteuid()].contains { creator.hasBytes(of: Principal.Identity.user($0).description) }
  }
}

extension Peer {
  /// Whether the peer is connected over TCP from a loopback address.
  var isLoopback: Bool {
    let plain = address.hasPrefix("::ffff:") ? address.dropFirst(7) : address[...]
    return plain == "::1" || plain.hasPrefix("127.")
  }
}
