import Foundation
import MarqueeFiles
import MarqueeModel
import MarqueeRPC
import MarqueeYAML

/// A strict parser of ``AccessPolicy`` YAML files: unknown keys and invalid values are errors.
struct AccessPolicyReader {
  /// The directory that relative paths of key sets are resolved against.
  private let directory: URL

  /// Loads the policy from the file at `path`.
  static func policy(at path: String) async throws -> AccessPolicy {
    let file = URL(filePath: path)
    let root = try SettingsFile.yaml(of: file, "access-policy")
    let reader = AccessPolicyReader(directory: file.deletingLastPathComponent())
    do { return try await reader.policy(root) } catch let error as YAMLError {
      throw ConfigurationError("access-policy", error.description)
    }
  }

  private func policy(_ node: YAMLNode) async throws -> AccessPolicy {
    var fields = try node.fields("a mapping")
    let rules = fields.readIncludingNull("rules")
    let (tokens, limits) = (fields.readIncludingNull("tokens"), fields.readIncludingNull("limits"))
    try fields.rejectUnreadKeys()
    var policy = AccessPolicy(callRate: AccessPolicy.defaultCallRate)
    for place in try tokens?.list("a list of issuers") ?? [] {
      let issuer = try await issuer(place)
      guard policy.issuers.updateValue(issuer, forKey: ExactText(issuer.name)) == nil else {
        throw place.error("duplicate issuer")
      }
    }
    for place in try rules?.list("a list of rules") ?? [] {
      policy.rules.append(try rule(place, policy.issuers))
    }
    if let limits { policy.callRate = try callRate(limits) }
    // A truncated or accidentally emptied file must not revoke all permissions.
    guard rules != nil else {
      throw node.error("required key rules is missing; expected a list, or [] to grant nothing")
    }
    return policy
  }

  private func callRate(_ place: YAMLNode) throws(YAMLError) -> TokenBucket.Rate {
    var fields = try place.fields("a mapping of limits")
    let (rate, burst) = (fields.readIncludingNull("call-rate-max"), fields.readIncludingNull("call-burst-max"))
    try fields.rejectUnreadKeys()
    let perSecond = try rate.map(count) ?? AccessPolicy.defaultCallRate.perSecond
    return .init(burst: try burst.map(count) ?? 2 * perSecond, perSecond: perSecond)
  }

  /// Returns an integer from 1 to 1,000,000,000.
  private func count(_ place: YAMLNode) throws(YAMLError) -> Int {
    try place.parsed("an integer from 1 to 1000000000") { text in
      Int(text).flatMap { (1...1_000_000_000).contains($0) ? $0 : nil }
    }
  }

  private func issuer(_ place: YAMLNode) async throws -> TokenIssuer {
    var fields = try place.fields("an issuer")
    let (name, audience) = (fields.readIncludingNull("issuer"), fields.readIncludingNull("audience"))
    let keys = fields.readIncludingNull("keys")
    try fields.rejectUnreadKeys()
    guard let name, let audience, let keys else {
      throw place.error("required keys are issuer, audience and keys")
    }
    let file = URL(filePath: try keys.normalizedText("a file name"), relativeTo: directory)
    let content: Data
    do { content = try SettingsFile.content(of: file, "") } catch { throw keys.error(error.reason) }
    do {
      return try await TokenIssuer(
        name: try name.normalizedText("the value of the claim iss"),
        audience: try audience.normalizedText("the value of the claim aud"), keySet: content)
    } catch let error as TokenKeyError {
      throw keys.error(error.reason)
    }
  }

  // MARK: Rules

  private static let subjects = ["user", "group", "certificate", "token", "loopback"]

  private func rule(
    _ place: YAMLNode, _ issuers: [ExactText: TokenIssuer]
  ) throws(YAMLError) -> AccessPolicy.Rule {
    var fields = try place.fields("a rule")
    var subjects: [(kind: String, place: YAMLNode)] = []
    for kind in Self.subjects {
      if let place = fields.readIncludingNull(kind) { subjects.append((kind, place)) }
    }
    let role = fields.readIncludingNull("role")
    let (apps, devices) = (fields.readIncludingNull("apps"), fields.readIncludingNull("devices"))
    try fields.rejectUnreadKeys()
    guard subjects.count == 1, let subject = subjects.first else {
      throw place.error("expected exactly one of \(Self.subjects.joined(separator: ", "))")
    }
    let matched = try self.subject(subject.kind, subject.place, issuers)
    guard let role else { throw place.error("required key role is missing") }
    let grant = try grant(place, role, apps: apps, devices: devices, hasClaims: subject.kind == "token")
    return AccessPolicy.Rule(subject: matched, grant: grant)
  }

  private func subject(
    _ kind: String, _ place: YAMLNode, _ issuers: [ExactText: TokenIssuer]
  ) throws(YAMLError) -> AccessPolicy.Subject {
    switch kind {
    case "user":
      let name = try place.normalizedText("a user name or number")
      guard let user = UInt32(name) ?? getpwnam(name)?.pointee.pw_uid else {
        throw place.error("unknown user name")
      }
      return .user(user)
    case "group":
      return try group(place)
    case "certificate":
      return .certificate(ExactText(try place.normalizedText("a subject alternative name")))
    case "loopback":
      guard try place.normalizedText("true") == "true" else { throw place.error("expected true") }
      return .loopback
    default:
      var claims: [String: String] = [:]
      for entry in try place.entries("a mapping of token claims") {
        claims[entry.name] = try entry.value.normalizedText("a string")
      }
      guard let issuer = claims.removeValue(forKey: "iss").map(ExactText.init), issuers[issuer] != nil else {
        throw place.error("expected the claim iss with an issuer listed under tokens")
      }
      return .token(issuer: issuer, claims: claims)
    }
  }

  private func group(_ place: YAMLNode) throws(YAMLError) -> AccessPolicy.Subject {
    let name = try place.normalizedText("a group name or number")
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
    _ place: YAMLNode, _ role: YAMLNode, apps: YAMLNode?, devices: YAMLNode?, hasClaims: Bool
  ) throws(YAMLError) -> AccessPolicy.Grant {
    let name = try role.normalizedText("a role")
    switch name {
    case "operator", "viewer":
      guard let stray = apps ?? devices else { return name == "viewer" ? .viewer : .operator }
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
    _ place: YAMLNode, _ hasClaims: Bool
  ) throws(YAMLError) -> AccessPolicy.NameSource<Name> {
    switch place.kind {
    case .scalar where place.scalarText == "all": return .listed(.all)
    case .mapping:
      guard hasClaims else { throw place.error("a claim requires a token rule") }
      var fields = try place.fields("{claim: NAME}")
      let claim = try fields.require("claim")
      try fields.rejectUnreadKeys()
      return .claim(try claim.normalizedText("a claim name"))
    case .scalar, .list:
      var names: Set<Name> = []
      for element in try place.list("a list, all, or {claim: NAME}") {
        let name = try element.normalizedText("a name")
        names.insert(try element.checked { () throws(RequestError) in try Name(name) })
      }
      return .listed(.named(names))
    }
  }
}

extension YAMLNode {
  /// Returns the text of a nonempty scalar in Unicode normalization form C.
  fileprivate func normalizedText(_ expected: String) throws(YAMLError) -> String {
    let text = try text(expected)
    guard !text.isEmpty else { throw error("expected \(expected)") }
    guard text.isNormalized else { throw error("must be in Unicode normalization form C (NFC)") }
    return text
  }
}
