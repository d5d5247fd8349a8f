import Foundation
import MarqueeRPC
import MarqueeTransport
import Synchronization

/// Who may do what on this server, by the policy in force. It can be replaced at any time.
final class Access: Sendable {
  /// Identities and tokens that are kept in mind, at most; over it, they are found out anew.
  private static let memorySizeMax = 4_096

  private struct State {
    var policy: AccessPolicy
    var generation = 0
    /// Whose tokens those are that have been verified by the policy in force.
    var tokens: [[UInt8]: Caller] = [:]
    var rates: [Caller.Identity: CallRate] = [:]
  }

  private let state: Mutex<State>
  private let latest = Atomic(0)

  init(_ policy: AccessPolicy) {
    state = Mutex(State(policy: policy))
  }

  /// Grows with every change of the policy.
  var generation: Int { latest.load(ordering: .acquiring) }

  /// The policy in force.
  var policy: AccessPolicy { state.withLock(\.policy) }

  /// Puts another policy into force. Callers keep what they have used of their rates, unless these change.
  func replace(with policy: AccessPolicy) {
    state.withLock { state in
      if policy.callRate != state.policy.callRate { state.rates = [:] }
      state.policy = policy
      state.tokens = [:]
      state.generation += 1
      latest.store(state.generation, ordering: .releasing)
    }
  }

  /// Who that proves, and what they may do; throws `UNAUTHENTICATED`.
  func caller(by proof: Caller.Proof) throws(RPCStatus) -> Caller {
    switch proof {
    case .connection(let peer): return try caller(at: peer)
    case .token(let token):
      if let known = state.withLock({ $0.tokens[token] }) { return known }
      return try verifiedCaller(token)
    }
  }

  /// The same caller by the policy in force.
  func caller(again caller: Caller) throws(RPCStatus) -> Caller { try self.caller(by: caller.proof) }

  private func caller(at peer: Peer) throws(RPCStatus) -> Caller {
    let identity: Caller.Identity
    if let credentials = peer.credentials {
      identity = .user(credentials.userID)
    } else if !peer.certificateNames.isEmpty {
      identity = .certificate(peer.certificateNames)
    } else if peer.isLoopback {
      identity = .loopback
    } else {
      throw Self.unknown
    }
    return try state.withLock { (state) throws(RPCStatus) in
      let rights = state.policy.rights(of: peer)
      // Being on this machine is no proof unless the policy takes it for one.
      if identity == .loopback, rights == Rights() { throw Self.unknown }
      return Caller(
        .connection(peer), rights, until: peer.certificateEnd.map { $0 + 1 }, generation: state.generation,
        rate: Self.rate(of: identity, &state))
    }
  }

  private static let unknown = RPCStatus(
    .unauthenticated, "who calls is not known; present a token or a certificate, or come through a Unix socket")

  /// Verifies a token outside the lock, so that others do not wait for it.
  private func verifiedCaller(_ token: [UInt8]) throws(RPCStatus) -> Caller {
    let (policy, generation) = state.withLock { ($0.policy, $0.generation) }
    let scheme = "bearer "
    guard token.prefix(scheme.utf8.count).elementsEqual(scheme.utf8, by: { $0 | 0x20 == $1 }) else {
      throw RPCStatus(.unauthenticated, "the metadata authorization is no bearer token")
    }
    let claims = try UnverifiedToken(token.dropFirst(scheme.utf8.count)).verified(by: policy.issuers, at: Caller.now)
    let identity = Caller.Identity.token(issuer: claims.names("iss")[0], subject: claims.names("sub")[0])
    return state.withLock { state in
      let caller = Caller(
        .token(token), policy.rights(of: claims), until: claims.end, generation: generation,
        rate: Self.rate(of: identity, &state))
      if state.generation == generation {
        if state.tokens.count >= Self.memorySizeMax { state.tokens = [:] }
        state.tokens[token] = caller
      }
      return caller
    }
  }

  /// What counts the calls of an identity, wherever they come from. Those who own the server's data are not counted.
  private static func rate(of identity: Caller.Identity, _ state: inout State) -> CallRate? {
    guard let limit = state.policy.callRate, !identity.isOwner else { return nil }
    if let known = state.rates[identity] { return known }
    // Whoever still has calls under way or a connection keeps a count of their own.
    if state.rates.count >= memorySizeMax { state.rates = [:] }
    let rate = CallRate(limit)
    state.rates[identity] = rate
    return rate
  }
}

extension Caller.Identity {
  /// Whether it could read and write the server's files, and stop it, without asking: root, and the user it runs as.
  var isOwner: Bool {
    guard case .user(let number) = self else { return false }
    return number == 0 || number == geteuid()
  }
}

extension Peer {
  /// Whether it is on this machine, and came over TCP.
  var isLoopback: Bool {
    let plain = address.hasPrefix("::ffff:") ? address.dropFirst(7) : address[...]
    return plain == "::1" || plain.hasPrefix("127.")
  }
}
