import MarqueeModel
import MarqueeRPC
import MarqueeTransport

/// Rules that say who may do what. The rights of all rules that fit a caller add up.
struct AccessPolicy: Sendable {
  /// Whom a rule is about.
  enum Who: Sendable {
    /// A user of this machine, through a Unix socket.
    case user(UInt32)
    /// A group of this machine: processes of that group, and its members as of the reading of the policy.
    case group(UInt32, members: Set<UInt32>)
    /// Whoever has proved to own a certificate with that name.
    case certificate(String)
    /// Whoever brings a token with these claims, `iss` among them.
    case token([String: String])
    /// Everybody on this machine who comes over TCP.
    case loopback
  }

  /// Which names of a kind a rule gives a right to.
  enum Names<Name: Identifier>: Sendable {
    case these(NameSet<Name>)
    /// Those that a claim of the caller's token lists.
    case claim(String)
  }

  /// What a rule gives.
  enum Grant: Sendable {
    case `operator`
    case viewer
    case provider(Names<AppID>, on: Names<DeviceID>)
    case display(Names<DeviceID>)
  }

  /// One rule.
  struct Rule: Sendable {
    let who: Who
    let grant: Grant
  }

  /// In the order of the file.
  var rules: [Rule] = []
  /// Who signs tokens, by name.
  var issuers: [String: TokenIssuer] = [:]
  /// How many calls one identity may make; `nil` for any number.
  var callRate: TokenBucket.Rate?

  /// The calls of one identity, where a policy says nothing of them.
  static let standardCallRate = TokenBucket.Rate(burst: 2_000, perSecond: 1_000)

  /// What the rules give whoever has that connection. Those who own the server's data may do everything: they could do
  /// it without asking.
  func rights(of peer: Peer) -> Rights {
    if let user = peer.credentials?.userID, Caller.Identity.user(user).isOwner { return Rights(oversight: .operating) }
    return rights(given: nil) { who in
      switch who {
      case .user(let number): peer.credentials?.userID == number
      case .group(let number, let members):
        peer.credentials.map { $0.groupID == number || members.contains($0.userID) } ?? false
      case .certificate(let name): peer.certificateNames.contains(name)
      case .loopback: peer.isLoopback && peer.certificateNames.isEmpty
      case .token: false
      }
    }
  }

  /// What the rules give whoever brings a token with those claims.
  func rights(of claims: TokenClaims) -> Rights {
    rights(given: claims) { who in
      guard case .token(let wanted) = who else { return false }
      return wanted.allSatisfy { claims.has($0.value, as: $0.key) }
    }
  }

  private func rights(given claims: TokenClaims?, _ fits: (Who) -> Bool) -> Rights {
    var rights = Rights()
    for rule in rules where fits(rule.who) {
      switch rule.grant {
      case .operator: rights.oversight = .operating
      case .viewer: rights.oversight = max(rights.oversight, .viewing)
      case .provider(let apps, let devices):
        let provision = Rights.Provision(apps: apps.names(given: claims), devices: devices.names(given: claims))
        if provision.apps != .none, provision.devices != .none { rights.provisions.append(provision) }
      case .display(let devices): rights.displays = rights.displays.union(devices.names(given: claims))
      }
    }
    return rights
  }
}

extension AccessPolicy.Names {
  /// The names, for a caller whose token has those claims. What is no name of the kind is left out.
  fileprivate func names(given claims: TokenClaims?) -> NameSet<Name> {
    switch self {
    case .these(let names): names
    // A claim may also be of another system that has names of its own.
    case .claim(let claim): .named(Set(claims?.names(claim).compactMap { try? Name($0) } ?? []))
    }
  }
}
