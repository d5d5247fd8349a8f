import MarqueeRPC
import MarqueeTransport

/// Authenticates and authorizes the calls of one connection, caching the principal of the connection and of the last
/// token. Confined to the connection's event loop.
final class CallAuthorizer: CallInterceptor {
  /// The rate limit of new tokens, whose signatures must be verified, on one connection.
  static let tokenRate = TokenBucket.Rate(burst: 64, perSecond: 8)

  /// The limit of concurrent calls on one connection that need no credentials, such as health checks.
  static let anonymousCallLimit = CallCountLimit(
    "anonymous-call-count-max", of: "open calls that need no credentials", countMax: 4)

  private let peer: Peer
  private let access: AccessController
  private let roles: [String: CallRole]
  /// Whether the server belongs to a cluster, whose other servers pass calls on.
  private let acceptsForwarded: Bool
  /// The principal of the connection itself, once authenticated.
  private var connectionPrincipal: Principal?
  /// The last token, and its principal.
  private var lastToken: (token: [UInt8], principal: Principal)?
  private var newTokens: TokenBucket?
  /// The rate limit of the connection's anonymous calls.
  private var anonymous: (generation: Int, rate: CallRate)?

  init(of peer: Peer, _ access: AccessController, _ roles: [String: CallRole], acceptsForwarded: Bool) {
    self.acceptsForwarded = acceptsForwarded
    self.peer = peer
    self.access = access
    self.roles = roles
  }

  func admit(_ call: CallContext, at now: MonotonicTime) throws(RPCStatus) -> (any Sendable)? {
    guard let role = roles[call.method] else { preconditionFailure("\(call.method) has no required role") }
    if role == .anyone { return try admitAnonymous(call, at: now) }
    let principal = try principal(of: call, at: now)
    // The node that has passed the call on has authorized and counted it.
    if acceptsForwarded, let text = call.metadata[CallContext.principalKey] {
      return try principal.forwarding(for: text)
    }
    try principal.beginCall(at: now)
    try principal.permissions.check(role)
    return principal
  }

  /// Counts a call that needs no credentials: for its principal if that is known, otherwise for the peer's origin.
  private func admitAnonymous(_ call: CallContext, at now: MonotonicTime) throws(RPCStatus) -> (any Sendable)? {
    guard let principal = try cachedPrincipal(of: call), principal.isValid else {
      try anonymousRate().consume(at: now)
      return nil
    }
    try principal.beginCall(at: now)
    return principal
  }

  /// Returns the principal of a call unless that requires verifying a new token.
  private func cachedPrincipal(of call: CallContext) throws(RPCStatus) -> Principal? {
    let generation = access.generation
    if let token = try Self.token(of: call) {
      return lastToken.flatMap {
        $0.principal.generation == generation && $0.token == token ? $0.principal : nil
      }
    }
    if Self.isFromBrowser(call) { return nil }
    if connectionPrincipal?.generation != generation {
      // The call is allowed without authentication, so a failure only means that the principal is unknown.
      connectionPrincipal = try? access.principal(for: .connection(peer))
    }
    return connectionPrincipal
  }

  /// Returns the token of a call, or `nil` if it has none.
  ///
  /// Two tokens are rejected: an intermediary may have verified the other one.
  private static func token(of call: CallContext) throws(RPCStatus) -> [UInt8]? {
    var token: [UInt8]?
    for pair in call.metadata.pairs where pair.key == "authorization" {
      guard token == nil else { throw RPCStatus(.unauthenticated, "duplicate metadata: authorization") }
      token = pair.value
    }
    return token
  }

  /// Whether a browser sent the call.
  ///
  /// A browser adds its user's address, certificate and socket to the calls of any page, so that only a token shows
  /// that the user wants the call. Scripts can set neither field.
  private static func isFromBrowser(_ call: CallContext) -> Bool {
    call.metadata.pairs.contains { $0.key == "origin" || $0.key == "sec-fetch-site" }
  }

  private func anonymousRate() -> CallRate {
    let generation = access.generation
    if let anonymous, anonymous.generation == generation { return anonymous.rate }
    let rate = access.anonymousCallRate(of: peer)
    anonymous = (generation, rate)
    return rate
  }

  /// Returns the principal of a call.
  ///
  /// A token replaces the connection's own principal, even if its permissions are fewer.
  private func principal(of call: CallContext, at now: MonotonicTime) throws(RPCStatus) -> Principal {
    let generation = access.generation
    guard let token = try Self.token(of: call) else {
      guard !Self.isFromBrowser(call) else {
        throw RPCStatus(.unauthenticated, "unauthenticated: a browser's call must present a bearer token")
      }
      if let connectionPrincipal, connectionPrincipal.generation == generation { return connectionPrincipal }
      let principal = try access.principal(for: .connection(peer))
      connectionPrincipal = principal
      return principal
    }
    if let lastToken, lastToken.principal.generation == generation, lastToken.token == token {
      return lastToken.principal
    }
    let principal: Principal
    if let known = access.knownPrincipal(of: token) {
      principal = known
    } else {
      principal = try newPrincipal(of: token, at: now)
    }
    lastToken = (token, principal)
    return principal
  }

  /// Authenticates a token that was not verified before, at a limited rate.
  private func newPrincipal(of token: [UInt8], at now: MonotonicTime) throws(RPCStatus) -> Principal {
    var bucket = newTokens ?? TokenBucket(Self.tokenRate, at: now)
    let isWithinRate = bucket.tryConsume(at: now)
    newTokens = bucket
    guard isWithinRate else {
      let message = "too many new tokens per second on this connection (token-rate-max: \(Self.tokenRate.perSecond))"
      throw RPCStatus(.resourceExhausted, message).retryable()
    }
    return try access.principal(for: .token(token))
  }
}
