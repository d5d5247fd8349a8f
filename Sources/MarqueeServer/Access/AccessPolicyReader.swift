import Foundation
import MarqueeFiles
import MarqueeModel
import MarqueeRPC
import Yams

/// A strict parser of ``AccessPolicy`` YAML files: unknown keys and invalid values are errors.
struct AccessPolicyReader {
  /// The directory that relative paths of key sets are resolved against.
  private let directory: URL

  /// Loads the policy from the file at `path`.
  static func policy(at path: String) async throws -> AccessPolicy {
    let file = URL(filePath: path)
    let text = try SettingsFile.yaml(of: file, "access-policy")
    let root: Node?
    do { root = try compose(yaml: text) } catch {
      throw ConfigurationError("access-policy", "the file is not valid YAML")
    }
    guard let root else { throw ConfigurationError("access-policy", "the file is empty") }
    let reader = AccessPolicyReader(directory: file.deletingLastPathComponent())
    return try await reader.policy(PolicyNode(node: root, field: ""))
  }

  private func policy(_ node: PolicyNode) async throws -> AccessPolicy {
    let entries = try node.entries("a mapping", of: ["rules", "tokens", "limits"])
    var policy = AccessPolicy(callRate: AccessPolicy.standardCallRate)
    for place in try entries["tokens"]?.list("a list of issuers") ?? [] {
      let issuer = try await issuer(place)
      guard policy.issuers.updateValue(issuer, forKey: ExactText(issuer.name)) == nil else {
        throw place.error("duplicate issuer")
      }
    }
    for place in try entries["rules"]?.list("a list of rules") ?? [] {
      policy.rules.append(try rule(place, policy.issuers))
    }
    if let place = entries["limits"] {
      let limits = try place.entries("limits", of: ["call-rate-max", "call-burst-max"])
      let standard = AccessPolicy.standardCallRate
      let perSecond = try limits["call-rate-max"]?.count() ?? standard.perSecond
      policy.callRate = .init(burst: try limits["call-burst-max"]?.count() ?? 2 * perSecond, perSecond: perSecond)
    }
    // A truncated or accidentally emptied file must not revoke all permissions.
    guard entries["rules"] != nil else {
      throw node.error("required key rules is missing; expected a list, or [] to grant nothing")
    }
    return policy
  }

  private func issuer(_ place: PolicyNode) async throws -> TokenIssuer {
    let entries = try place.entries("an issuer", of: ["issuer", "audience", "keys"])
    guard let name = entries["issuer"], let audience = entries["audience"], let keys = entries["keys"] else {
      throw place.error("required keys are issuer, audience and keys")
    }
    let file = URL(filePath: try keys.text("a file name"), relativeTo: directory)
    let content: Data
    do { content = try SettingsFile.content(of: file, "") } catch { throw keys.error(error.reason) }
    do {
      return try await TokenIssuer(
        name: try name.text("the value of the claim iss"), audience: try audience.text("the value of the claim aud"),
        keySet: content)
    } catch let error as TokenKeyError {
      throw keys.error(error.reason)
    }
  }

  // MARK: Rules

  private static let subjects = ["user", "group", "certificate", "token", "loopback"]

  private func rule(
    _ place: PolicyNode, _ issuers: [ExactText: TokenIssuer]
  ) throws(ConfigurationError) -> AccessPolicy.Rule {
    let entries = try place.entries("a rule", of: Self.subjects + ["role", "apps", "devices"])
    let kinds = Self.subjects.filter { entries[$0] != nil }
    guard kinds.count == 1, let subject = entries[kinds[0]] else {
      throw place.error("expected exactly one of \(Self.subjects.joined(separator: ", "))")
    }
    return AccessPolicy.Rule(
      subject: try self.subject(kinds[0], subject, issuers),
      grant: try grant(place, entries, hasClaims: kinds[0] == "token"))
  }

  private func subject(
    _ kind: String, _ place: PolicyNode, _ issuers: [ExactText: TokenIssuer]
  ) throws(ConfigurationError) -> AccessPolicy.Subject {
    switch kind {
    case "user":
      let name = try place.text("a user name or number")
      guard let user = UInt32(name) ?? getpwnam(name)?.pointee.pw_uid else {
        throw place.error("unknown user name")
      }
      return .user(user)
    case "group":
      return try group(place)
    case "certificate":
      return .certificate(ExactText(try place.text("a subject alternative name")))
    case "loopback":
      guard try place.text("true") == "true" else { throw place.error("expected true") }
      return .loopback
    default:
      var claims: [String: String] = [:]
      for (claim, value) in try place.entries("a mapping of token claims") {
        claims[claim] = try value.text("a string")
      }
      guard let issuer = claims.removeValue(forKey: "iss").map(ExactText.init), issuers[issuer] != nil else {
        throw place.error("expected the claim iss with an issuer listed under tokens")
      }
      return .token(issuer: issuer, claims: claims)
    }
  }

  private func group(_ place: PolicyNode) throws(ConfigurationError) -> AccessPolicy.Subject {
    let name = try place.text("a group name or number")
    guard let entry = UInt32(name).map(getgrgid) ?? getgrnam(name) else {
      guard let number = UInt32(name) else { throw place.error("unknown group name") }
      return .group(number, members: [])
    }
    let number = entry.pointee.gr_gid
    var names: [String] = []
    var next = entry.pointee.gr_mem
    while let member = next?.pointee {
      names.append(String(cString: member))
      next = next?.successor()
    }
    return .group(number, members: Set(names.compactMap { getpwnam($0)?.pointee.pw_uid }))
  }

  private func grant(
    _ place: PolicyNode, _ entries: [String: PolicyNode], hasClaims: Bool
  ) throws(ConfigurationError) -> AccessPolicy.Grant {
    guard let role = entries["role"] else { throw place.error("required key role is missing") }
    let (apps, devices) = (entries["apps"], entries["devices"])
    switch try role.text("a role") {
    case "operator", "viewer":
      guard let stray = apps ?? devices else { return try role.text("a role") == "viewer" ? .viewer : .operator }
      throw stray.error("operators and viewers have access to all apps and devices")
    case "provider":
      guard let apps else { throw place.error("required key apps is missing; expected a list, all, or {claim: NAME}") }
      guard let devices else { return .provider(try names(apps, hasClaims), on: .listed(.all)) }
      return .provider(try names(apps, hasClaims), on: try names(devices, hasClaims))
    case "display":
      guard let devices else {
        throw place.error("required key devices is missing; expected a list, all, or {claim: NAME}")
      }
      if let apps { throw apps.error("the display role has devices, not apps") }
      return .display(try names(devices, hasClaims))
    default:
      throw role.error("expected operator, viewer, provider or display")
    }
  }

  private func names<Name: Identifier>(
    _ place: PolicyNode, _ hasClaims: Bool
  ) throws(ConfigurationError) -> AccessPolicy.NameSource<Name> {
    switch place.node {
    case .scalar(let scalar) where scalar.string == "all": return .listed(.all)
    case .mapping:
      guard hasClaims else { throw place.error("a claim requires a token rule") }
      guard let claim = try place.entries("{claim: NAME}", of: ["claim"])["claim"] else {
        throw place.error("expected {claim: NAME}")
      }
      return .claim(try claim.text("a claim name"))
    default:
      var names: Set<Name> = []
      for element in try place.list("a list, all, or {claim: NAME}") {
        let name = try element.text("a name")
        do { names.insert(try Name(name)) } catch { throw element.error("\(error)") }
      }
      return .listed(.named(names))
    }
  }
}
