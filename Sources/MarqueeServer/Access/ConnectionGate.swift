import MarqueeRPC
import MarqueeTransport

/// Finds out who the calls of one connection come from: once for the connection, and once for each token that comes on
/// it. On the connection's event loop alone.
final class ConnectionGate: CallGate {
  /// Tokens of a connection that are looked at for the first time.
  static let tokenRate = TokenBucket.Rate(burst: 64, perSecond: 8)

  private let peer: Peer
  private let access: Access
  private let roles: [String: CallRole]
  /// Who the connection itself belongs to, once it was asked.
  private var own: Caller?
  /// The last token, and whose it is.
  private var last: (token: [UInt8], caller: Caller)?
  private var newTokens: TokenBucket?

  init(of peer: Peer, _ access: Access, _ roles: [String: CallRole]) {
    self.peer = peer
    self.access = access
    self.roles = roles
  }

  func admit(_ call: CallContext, at now: MonotonicTime) throws(RPCStatus) -> (any Sendable)? {
    guard let role = roles[call.method] else { preconditionFailure("\(call.method) is for nobody") }
    if role == .anyone { return nil }
    let caller = try caller(of: call, at: now)
    try caller.begin(at: now)
    try caller.rights.check(role)
    return caller
  }

  /// A token says more than the connection it comes on, and alone counts: also to be less than one is.
  private func caller(of call: CallContext, at now: MonotonicTime) throws(RPCStatus) -> Caller {
    let generation = access.generation
    guard let token = call.metadata.bytes(for: "authorization") else {
      if let own, own.generation == generation { return own }
      let caller = try access.caller(by: .connection(peer))
      own = caller
      return caller
    }
    if let last, last.caller.generation == generation, last.token == token { return last.caller }
    var bucket = newTokens ?? TokenBucket(Self.tokenRate, at: now)
    let isTaken = bucket.take(at: now)
    newTokens = bucket
    guard isTaken else {
      let rate = Self.tokenRate.perSecond
      throw RPCStatus(.resourceExhausted, "token-rate-max is \(rate) new tokens a second on one connection")
    }
    let caller = try access.caller(by: .token(token))
    last = (token, caller)
    return caller
  }
}
