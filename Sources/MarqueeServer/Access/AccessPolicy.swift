import MarqueeModel
import MarqueeRPC
import MarqueeTransport

/// The rules that grant permissions to principals. The grants of all matching rules add up.
struct AccessPolicy: Sendable {
  /// The principals that a rule applies to.
  enum Subject: Sendable {
    /// A user of this machine, connected over a Unix socket.
    case user(UInt32)
    /// A group of this machine: processes that run with it, and its members at the time the policy was loaded.
    case group(UInt32, members: Set<UInt32>)
    /// Owners of a certificate with that subject alternative name.
    case certificate(ExactText)
    /// Bearers of a token of that issuer with these claims.
    case token(issuer: ExactText, claims: [String: String])
    /// Any TCP client on this machine that presents no certificate.
    case loopback
  }

  /// The source of the names that a rule grants access to.
  enum NameSource<Name: Identifier>: Sendable {
    /// The names that the policy lists.
    case listed(NameSet<Name>)
    /// The names in a claim of the principal's token.
    case claim(String)
  }

  /// The role that a rule grants.
  enum Grant: Sendable {
    case `operator`
    case viewer
    case provider(NameSource<AppID>, on: NameSource<DeviceID>)
    case display(NameSource<DeviceID>)
  }

  /// A rule: a subject and its grant.
  struct Rule: Sendable {
    let subject: Subject
    let grant: Grant
  }

  /// The rules in the order of the file.
  var rules: [Rule] = []
  /// The trusted token issuers by name.
  var issuers: [ExactText: TokenIssuer] = [:]
  /// The rate limit of calls per principal; `nil` for unlimited.
  var callRate: TokenBucket.Rate?

  /// Whether no credential of a TCP client can grant anything, as without a policy.
  var isEmpty: Bool { rules.isEmpty && issuers.isEmpty }

  /// Whether a rule has a user or a group of this machine as its subject.
  var hasLocalSubjects: Bool {
    rules.contains { rule in
      switch rule.subject {
      case .user, .group: true
      case .certificate, .token, .loopback: false
      }
    }
  }

  /// The rate limit of calls per principal that applies unless a policy sets one.
  static let defaultCallRate = TokenBucket.Rate(burst: 2_000, perSecond: 1_000)

  /// Returns the permissions of a connection's peer.
  ///
  /// Owners of the server's data have full access regardless of the rules: they can read and write its files anyway.
  func permissions(of peer: Peer) -> Permissions {
    if let user = peer.credentials?.userID, Principal.Identity.user(user).isOwner {
      return Permissions(adminAccess: .full)
    }
    return permissions(claims: nil) { subject in
      switch subject {
      case .user(let number): peer.credentials?.userID == number
      case .group(let number, let members):
        peer.credentials.map { $0.groupID == number || members.contains($0.userID) } ?? false
      case .certificate(let name): peer.certificateNames.contains { ExactText($0) == name }
      case .loopback: peer.isLoopback && peer.certificateNames.isEmpty
      case .token: false
      }
    }
  }

  /// Returns the permissions of a token's bearer, granted by the rules of the token's issuer only.
  func permissions(of claims: TokenClaims) -> Permissions {
    permissions(claims: claims) { subject in
      guard case .token(let issuer, let required) = subject, issuer == claims.issuer else { return false }
      return required.allSatisfy { claims.has($0.value, as: $0.key) }
    }
  }

  private func permissions(claims: TokenClaims?, where matches: (Subject) -> Bool) -> Permissions {
    var permissions = Permissions()
    for rule in rules where matches(rule.subject) {
      switch rule.grant {
      case .operator: permissions.adminAccess = .full
      case .viewer: permissions.adminAccess = max(permissions.adminAccess, .readOnly)
      case .provider(let apps, let devices):
        let grant = Permissions.ProviderGrant(apps: apps.names(in: claims), devices: devices.names(in: claims))
        if grant.apps != .none, grant.devices != .none { permissions.providerGrants.append(grant) }
      case .display(let devices): permissions.displays = permissions.displays.union(devices.names(in: claims))
      }
    }
    return permissions
  }
}

extension AccessPolicy.NameSource {
  /// Returns the names for a principal with those claims, ignoring values that are not valid names.
  fileprivate func names(in claims: TokenClaims?) -> NameSet<Name> {
    switch self {
    case .listed(let names): names
    // The claim may also list names of other systems, which need not be valid here.
    case .claim(let claim): .named(Set(claims?.names(claim).compactMap { try? Name($0) } ?? []))
    }
  }
}
