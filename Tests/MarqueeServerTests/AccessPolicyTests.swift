import Foundation
import MarqueeModel
import MarqueeRPC
import Testing

@testable import MarqueeServer
@testable import MarqueeTransport

@Suite("The access policy", .timeLimit(.minutes(1)))
struct AccessPolicyTests {
  private static let weather = valid { try AppID("com.example.weather") }
  private static let sport = valid { try AppID("com.example.sport") }
  private static let phone = valid { try DeviceID("phone") }
  private static let tablet = valid { try DeviceID("tablet") }

  private static let now = MonotonicTime(nanoseconds: 0)

  private static func valid<Value>(_ body: () throws -> Value) -> Value {
    do { return try body() } catch { preconditionFailure("a name of the tests is refused: \(error)") }
  }

  /// Reads a policy from a file beside a key set.
  private static func policy(_ text: String) async throws -> AccessPolicy {
    let directory = FileManager.default.temporaryDirectory.appending(path: "marquee-policy-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
    defer {
      // What is left behind in the temporary directory does no harm.
      try? FileManager.default.removeItem(at: directory)
    }
    try TokenSamples.keySet.write(to: directory.appending(path: "keys.json"), atomically: true, encoding: .utf8)
    try #"{"keys": []}"#.write(to: directory.appending(path: "none.json"), atomically: true, encoding: .utf8)
    let file = directory.appending(path: "access.yaml")
    try text.write(to: file, atomically: true, encoding: .utf8)
    return try await AccessPolicyReader.policy(at: file.path)
  }

  private static func user(_ user: UInt32, group: UInt32 = 4_000_000) -> Peer {
    Peer(address: "unix", credentials: .init(processID: 1, userID: user, groupID: group))
  }

  @Test("Root and the server's own user may do everything on Unix sockets, whatever the policy says")
  func owner() async throws {
    for policy in [AccessPolicy(), try await Self.policy("rules: [{user: root, role: viewer}]")] {
      #expect(policy.rights(of: Self.user(0)).oversight == .operating)
      #expect(policy.rights(of: Self.user(geteuid())).oversight == .operating)
      #expect(policy.rights(of: Self.user(4_000_001)) == Rights())
      #expect(policy.rights(of: Peer(address: "127.0.0.1")) == Rights())
    }
  }

  @Test("Rules about users, groups, certificates and loopback fit those, and add up")
  func rules() async throws {
    let policy = try await Self.policy(
      """
      rules:
        - {user: 4000001, role: provider, apps: [com.example.weather]}
        - {user: 4000001, role: provider, apps: [com.example.sport], devices: [tablet]}
        - {group: 4000002, role: display, devices: [phone]}
        - {group: root, role: viewer}
        - {certificate: kiosk.example.com, role: display, devices: all}
        - {loopback: true, role: viewer}
      """)
    let provider = policy.rights(of: Self.user(4_000_001, group: 4_000_002))
    try provider.check(.provider, CallScope(device: Self.phone, app: Self.weather))
    try provider.check(.provider, CallScope(device: Self.tablet, app: Self.sport))
    try provider.check(.display, CallScope(device: Self.phone))
    #expect(throws: (any Error).self) { try provider.check(.provider, CallScope(device: Self.phone, app: Self.sport)) }
    #expect(throws: (any Error).self) { try provider.check(.display, CallScope(device: Self.tablet)) }
    #expect(throws: (any Error).self) { try provider.check(.viewer) }
    #expect(policy.rights(of: Self.user(4_000_003, group: 0)).oversight == .viewing)
    let kiosk = policy.rights(of: Peer(address: "10.0.0.1", certificateNames: ["x.example.com", "kiosk.example.com"]))
    #expect(kiosk == Rights(displays: .all))
    #expect(policy.rights(of: Peer(address: "10.0.0.1", certificateNames: ["kiosk.example.com.evil"])) == Rights())
    for address in ["127.0.0.1", "::1", "::ffff:127.0.0.1"] {
      #expect(policy.rights(of: Peer(address: address)).oversight == .viewing)
    }
    #expect(policy.rights(of: Peer(address: "::ffff:10.0.0.1")) == Rights())
    #expect(policy.rights(of: Peer(address: "127.0.0.1", certificateNames: ["other"])) == Rights())
  }

  @Test("Rules about tokens fit those whose claims have the values; claims may name apps and devices")
  func tokens() async throws {
    let policy = try await Self.policy(
      """
      tokens: [{issuer: "https://id.example.com", audience: marquee, keys: keys.json}]
      rules:
        - {token: {iss: "https://id.example.com", groups: kiosks}, role: display, devices: {claim: devices}}
        - {token: {iss: "https://id.example.com", scope: apps}, role: provider, apps: {claim: app}}
        - {token: {iss: "https://id.example.com", sub: root}, role: operator}
      """)
    func rights(_ claims: String) throws -> Rights {
      policy.rights(of: try #require(TokenClaims(Data("{\"iss\": \"https://id.example.com\", \(claims)}".utf8))))
    }
    #expect(try rights(#""groups": ["x", "kiosks"], "devices": ["phone", 7]"#) == Rights(displays: .none))
    #expect(
      try rights(#""groups": ["x", "kiosks"], "devices": ["phone"]"#) == Rights(displays: .named([Self.phone])))
    #expect(try rights(#""groups": "kiosks""#) == Rights())
    let provision = Rights.Provision(apps: .named([Self.weather]), devices: .all)
    #expect(try rights(#""scope": "read apps", "app": "com.example.weather""#) == Rights(provisions: [provision]))
    #expect(try rights(#""scope": "apps", "app": "all""#) == Rights())
    #expect(try rights(#""groups": "apps""#) == Rights())
    #expect(try rights(#""sub": "root""#).oversight == .operating)
    #expect(policy.callRate == AccessPolicy.standardCallRate)
  }

  struct Mistake: Sendable, CustomTestStringConvertible {
    let text: String
    let words: [String]
    var testDescription: String { text }

    init(_ text: String, _ words: String...) {
      self.text = text
      self.words = words
    }

    static let all = [
      Mistake("", "empty"), Mistake("rules: [", "YAML"), Mistake("role: x", "line 1", "role", "unknown key"),
      Mistake("rules: {}", "rules", "a list of rules"),
      Mistake("rules:\n  - {role: viewer}", "line 2", "rules[0]", "one of user, group"),
      Mistake("rules: [{user: root, group: root, role: viewer}]", "one of user, group"),
      Mistake("rules: [{user: nobody-like-this, role: viewer}]", "rules[0].user", "no user"),
      Mistake("rules: [{group: nobody-like-this, role: viewer}]", "rules[0].group", "no group"),
      Mistake("rules: [{user: root}]", "expected a role"),
      Mistake("rules: [{user: root, role: king}]", "rules[0].role", "operator, viewer, provider or display"),
      Mistake("rules: [{user: root, role: viewer, apps: all}]", "rules[0].apps", "have all"),
      Mistake("rules: [{user: root, role: provider}]", "expected apps"),
      Mistake("rules: [{user: root, role: provider, apps: [weather]}]", "rules[0].apps[0]", "reverse DNS"),
      Mistake("rules: [{user: root, role: provider, apps: {claim: apps}}]", "rules[0].apps", "only tokens"),
      Mistake("rules: [{user: root, role: display}]", "expected devices"),
      Mistake("rules: [{user: root, role: display, devices: all, apps: all}]", "rules[0].apps"),
      Mistake("rules: [{token: {iss: x}, role: viewer}]", "rules[0].token", "iss"),
      Mistake("rules: [{loopback: yes please, role: viewer}]", "rules[0].loopback", "true"),
      Mistake("rules: [{user: root, role: viewer, if: rain}]", "rules[0].if", "unknown key"),
      Mistake("limits: {call-rate-max: 0}", "limits.call-rate-max", "whole number"),
      Mistake("tokens: [{issuer: x, keys: keys.json}]", "tokens[0]", "audience"),
      Mistake("tokens: [{issuer: x, audience: y, keys: nowhere}]", "tokens[0].keys", "cannot be read"),
      Mistake("tokens: [{issuer: x, audience: y, keys: access.yaml}]", "tokens[0].keys", "no JSON Web Key Set"),
      Mistake("tokens: [{issuer: x, audience: y, keys: none.json}]", "tokens[0].keys", "has no key"),
    ]
  }

  @Test("What cannot be meant is refused with its place and the reason", arguments: Mistake.all)
  func mistakes(mistake: Mistake) async throws {
    let error = await #expect(throws: ConfigurationError.self) { _ = try await Self.policy(mistake.text) }
    for word in mistake.words { #expect(error?.description.contains(word) == true, "\(String(describing: error))") }
  }

  @Test("A rate lets a burst through and then so many a second, each for itself")
  func rate() async throws {
    let policy = try await Self.policy("limits: {call-rate-max: 1}")
    #expect(policy.callRate == .init(burst: 2, perSecond: 1))
    let access = Access(policy)
    let first = try access.caller(by: .connection(Self.user(4_000_001)))
    let same = try access.caller(by: .connection(Self.user(4_000_001)))
    let other = try access.caller(by: .connection(Self.user(4_000_002)))
    try first.begin(at: Self.now)
    try same.begin(at: Self.now)
    #expect(throws: (any Error).self) { try first.begin(at: Self.now) }
    try other.begin(at: Self.now)
    let owner = try access.caller(by: .connection(Self.user(0)))
    for _ in 1...10 { try owner.begin(at: Self.now) }
  }
}
