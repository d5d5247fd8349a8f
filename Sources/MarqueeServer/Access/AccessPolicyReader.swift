import Foundation
import MarqueeModel
import MarqueeRPC
import Yams

/// Reads an ``AccessPolicy`` from YAML. Everything in it must be understood.
struct AccessPolicyReader {
  /// Where the names of key sets start from.
  private let directory: URL

  /// The policy in the file at `path`.
  static func policy(at path: String) async throws -> AccessPolicy {
    let file = URL(filePath: path)
    let text: String
    do { text = try String(contentsOf: file, encoding: .utf8) } catch {
      throw ConfigurationError("access-policy", "the file cannot be read as text")
    }
    let root: Node?
    do { root = try compose(yaml: text) } catch {
      throw ConfigurationError("access-policy", "the file cannot be read as YAML")
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
      guard policy.issuers.updateValue(issuer, forKey: issuer.name) == nil else {
        throw place.error("the issuer comes twice")
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
    return policy
  }

  private func issuer(_ place: PolicyNode) async throws -> TokenIssuer {
    let entries = try place.entries("an issuer", of: ["issuer", "audience", "keys"])
    guard let name = entries["issuer"], let audience = entries["audience"], let keys = entries["keys"] else {
      throw place.error("expected issuer, audience and keys")
    }
    let file = URL(filePath: try keys.text("the name of a file"), relativeTo: directory)
    let content: Data
    do { content = try Data(contentsOf: file) } catch { throw keys.error("the file cannot be read") }
    do {
      return try await TokenIssuer(
        name: try name.text("what the claim iss says"), audience: try audience.text("what the claim aud says"),
        keySet: content)
    } catch let error as TokenKeyError {
      throw keys.error("the file \(error.reason)")
    }
  }

  // MARK: Rules

  private static let subjects = ["user", "group", "certificate", "token", "loopback"]

  private func rule(
    _ place: PolicyNode, _ issuers: [String: TokenIssuer]
  ) throws(ConfigurationError) -> AccessPolicy.Rule {
    let entries = try place.entries("a rule", of: Self.subjects + ["role", "apps", "devices"])
    let given = Self.subjects.filter { entries[$0] != nil }
    guard given.count == 1, let subject = entries[given[0]] else {
      throw place.error("expected one of \(Self.subjects.joined(separator: ", "))")
    }
    let who = try who(given[0], subject, issuers)
    return AccessPolicy.Rule(who: who, grant: try grant(place, entries, hasClaims: given[0] == "token"))
  }

  private func who(
    _ kind: String, _ place: PolicyNode, _ issuers: [String: TokenIssuer]
  ) throws(ConfigurationError) -> AccessPolicy.Who {
    switch kind {
    case "user":
      let name = try place.text("a user's name or number")
      guard let user = UInt32(name) ?? getpwnam(name)?.pointee.pw_uid else {
        throw place.error("this machine has no user of this name")
      }
      return .user(user)
    case "group":
      return try group(place)
    case "certificate":
      return .certificate(try place.text("a name in the certificate"))
    case "loopback":
      guard try place.text("true") == "true" else { throw place.error("expected true") }
      return .loopback
    default:
      var claims: [String: String] = [:]
      for (claim, value) in try place.entries("claims of the token") { claims[claim] = try value.text("a text") }
      guard let issuer = claims["iss"], issuers[issuer] != nil else {
        throw place.error("expected the claim iss, with one of the issuers under tokens")
      }
      return .token(claims)
    }
  }

  private func group(_ place: PolicyNode) throws(ConfigurationError) -> AccessPolicy.Who {
    let name = try place.text("a group's name or number")
    guard let entry = UInt32(name).map(getgrgid) ?? getgrnam(name) else {
      guard let number = UInt32(name) else { throw place.error("this machine has no group of this name") }
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
    guard let role = entries["role"] else { throw place.error("expected a role") }
    let (apps, devices) = (entries["apps"], entries["devices"])
    switch try role.text("a role") {
    case "operator", "viewer":
      guard let stray = apps ?? devices else { return try role.text("a role") == "viewer" ? .viewer : .operator }
      throw stray.error("operators and viewers have all apps and devices")
    case "provider":
      guard let apps else { throw place.error("expected apps: a list, all, or {claim: NAME}") }
      guard let devices else { return .provider(try names(apps, hasClaims), on: .these(.all)) }
      return .provider(try names(apps, hasClaims), on: try names(devices, hasClaims))
    case "display":
      guard let devices else { throw place.error("expected devices: a list, all, or {claim: NAME}") }
      if let apps { throw apps.error("displays have devices, not apps") }
      return .display(try names(devices, hasClaims))
    default:
      throw role.error("expected operator, viewer, provider or display")
    }
  }

  private func names<Name: Identifier>(
    _ place: PolicyNode, _ hasClaims: Bool
  ) throws(ConfigurationError) -> AccessPolicy.Names<Name> {
    switch place.node {
    case .scalar(let scalar) where scalar.string == "all": return .these(.all)
    case .mapping:
      guard hasClaims else { throw place.error("only tokens have claims") }
      guard let claim = try place.entries("{claim: NAME}", of: ["claim"])["claim"] else {
        throw place.error("expected {claim: NAME}")
      }
      return .claim(try claim.text("the name of a claim"))
    default:
      var names: Set<Name> = []
      for element in try place.list("a list, all, or {claim: NAME}") {
        let name = try element.text("a name")
        do { names.insert(try Name(name)) } catch { throw element.error("\(error)") }
      }
      return .these(.named(names))
    }
  }
}
