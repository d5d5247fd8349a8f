import Foundation
import MarqueeModel
import MarqueeRPC
import MarqueeTestSupport
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

  /// Loads a policy from a file in a directory with key sets.
  private static func policy(_ text: String) async throws -> AccessPolicy {
    let directory = try TemporaryDirectory()
    _ = try directory.write(TokenSamples.keySet, to: "keys.json")
    _ = try directory.write(#"{"keys": []}"#, to: "none.json")
    return try await AccessPolicyReader.policy(at: directory.write(text, to: "access.yaml"))
  }

  private static func user(_ user: UInt32, group: UInt32 = 4_000_000) -> Peer {
    Peer(address: "unix", credentials: .init(processID: 1, userID: user, groupID: group))
  }

  @Test("Root and the server's own user have full access over Unix sockets, regardless of the policy")
  func owner() async throws {
    for policy in [AccessPolicy(), try await Self.policy("rules: [{user: root, role: viewer}]")] {
      #expect(policy.permissions(of: Self.user(0)).adminAccess == .full)
      #expect(policy.permissions(of: Self.user(geteuid())).adminAccess == .full)
      #expect(policy.permissions(of: Self.user(4_000_001)) == Permissions())
      #expect(policy.permissions(of: Peer(address: "127.0.0.1")) == Permissions())
    }
  }

  @Test("Rules for users, groups, certificates and loopback match these, and their permissions add up")
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
    let provider = policy.permissions(of: Self.user(4_000_001, group: 4_000_002))
    try provider.check(CallScope(device: Self.phone, app: Self.weather), of: .provider)
    try provider.check(CallScope(device: Self.tablet, app: Self.sport), of: .provider)
    try provider.check(CallScope(device: Self.phone), of: .display)
    #expect(throws: (any Error).self) {
      try provider.check(CallScope(device: Self.phone, app: Self.sport), of: .provider)
    }
    #expect(throws: (any Error).self) { try provider.check(CallScope(device: Self.tablet), of: .display) }
    #expect(throws: (any Error).self) { try provider.check(.viewer) }
    #expect(policy.permissions(of: Self.user(4_000_003, group: 0)).adminAccess == .readOnly)
    let kiosk = policy.permissions(
      of: Peer(address: "10.0.0.1", certificateNames: ["x.example.com", "kiosk.example.com"]))
    #expect(kiosk == Permissions(displays: .all))
    let evil = policy.permissions(of: Peer(address: "10.0.0.1", certificateNames: ["kiosk.example.com.evil"]))
    #expect(evil == Permissions())
    for address in ["127.0.0.1", "::1", "::ffff:127.0.0.1"] {
      #expect(policy.permissions(of: Peer(address: address)).adminAccess == .readOnly)
    }
    #expect(policy.permissions(of: Peer(address: "::ffff:10.0.0.1")) == Permissions())
    #expect(policy.permissions(of: Peer(address: "127.0.0.1", certificateNames: ["other"])) == Permissions())
  }

  @Test("In a user namespace that does not map all IDs, the ID that stands for the others identifies nobody")
  func namespaces() async throws {
    let map = "         0          0          1\n     64884      64884          1\n"
    let partial = UserNamespace(map: map, overflowID: 65_534)
    #expect(!partial.isComplete && partial.known(65_534) == nil)
    #expect(partial.known(0) == 0 && partial.known(64_884) == 64_884)
    for map in ["         0          0 4294967295\n", "0 0 65536\n65536 65536 4294901759\n", nil] {
      let complete = UserNamespace(map: map, overflowID: 65_534)
      #expect(complete.isComplete && complete.known(65_534) == 65_534)
    }
    let policy = try await Self.policy("rules: [{group: 65534, role: viewer}, {user: 7, role: operator}]")
    let peer = Peer(address: "unix", credentials: .init(processID: 1, userID: 8, groupID: nil))
    #expect(policy.permissions(of: peer) == Permissions() && policy.hasLocalSubjects)
    #expect(try await !Self.policy("rules: [{loopback: true, role: viewer}]").hasLocalSubjects)
    let access = AccessController(policy, SessionTable())
    let unknown = #expect(throws: RPCStatus.self) {
      try access.principal(for: .connection(Peer(address: "unix", origin: .user(65_534))))
    }
    #expect(unknown?.code == .unauthenticated && unknown?.message.contains("user namespace") == true)
  }

  @Test("Token rules match tokens whose claims have the values; claims can list apps and devices")
  func tokens() async throws {
    let policy = try await Self.policy(
      """
      tokens: [{issuer: "https://id.example.com", audience: marquee, keys: keys.json}]
      rules:
        - {token: {iss: "https://id.example.com", groups: kiosks}, role: display, devices: {claim: devices}}
        - {token: {iss: "https://id.example.com", scope: apps}, role: provider, apps: {claim: app}}
        - {token: {iss: "https://id.example.com", admin: "yes"}, role: operator}
      """)
    func permissions(_ claims: String) throws -> Permissions {
      policy.permissions(of: try TokenSamples.claims(issuer: "https://id.example.com", claims))
    }
    #expect(try permissions(#""groups": ["x", "kiosks"], "devices": ["phone", 7]"#) == Permissions(displays: .none))
    #expect(
      try permissions(#""groups": ["x", "kiosks"], "devices": ["phone"]"#)
        == Permissions(displays: .named([Self.phone])))
    #expect(try permissions(#""groups": "kiosks""#) == Permissions())
    let grant = Permissions.ProviderGrant(apps: .named([Self.weather]), devices: .all)
    #expect(
      try permissions(#""scope": "read apps", "app": "com.example.weather""#) == Permissions(providerGrants: [grant]))
    #expect(try permissions(#""scope": "apps", "app": "all""#) == Permissions())
    #expect(try permissions(#""groups": "apps""#) == Permissions())
    #expect(try permissions(#""admin": "yes""#).adminAccess == .full)
    #expect(try permissions(#""admin": true, "scope": {"apps": 1}"#) == Permissions())
    #expect(policy.callRate == AccessPolicy.defaultCallRate)
  }

  @Test("Rules of one issuer do not match tokens of another, whatever their claims")
  func otherIssuer() async throws {
    let policy = try await Self.policy(
      """
      tokens:
        - {issuer: operators, audience: marquee, keys: keys.json}
        - {issuer: kiosks, audience: marquee, keys: keys.json}
      rules:
        - {token: {iss: operators}, role: operator}
        - {token: {iss: kiosks}, role: display, devices: {claim: devices}}
      """)
    let claims = try TokenSamples.claims(issuer: "kiosks", #""devices": ["phone"], "issuer": "operators""#)
    #expect(policy.permissions(of: claims) == Permissions(displays: .named([Self.phone])))
    #expect(policy.permissions(of: try TokenSamples.claims(issuer: "operators", #""n": 1"#)).adminAccess == .full)
    #expect(throws: RPCStatus.self) { try TokenSamples.claims(issuers: #"["kiosks", "operators"]"#, #""n": 1"#) }
  }

  @Test("Names that are equivalent in Unicode, but not equal, match no rule")
  func equivalent() async throws {
    let policy = try await Self.policy(
      """
      tokens: [{issuer: Kiosks, audience: marquee, keys: keys.json}]
      rules:
        - {certificate: Kiosk, role: operator}
        - {token: {iss: Kiosks, group: K, scope: K, Kind: x}, role: operator}
      """)
    #expect(policy.permissions(of: Peer(address: "10.0.0.1", certificateNames: ["Kiosk"])).adminAccess == .full)
    #expect(policy.permissions(of: Peer(address: "10.0.0.1", certificateNames: ["\u{212A}iosk"])) == Permissions())
    let good = [#""group": "K""#, #""scope": "a K""#, #""Kind": "x""#]
    let claims = try TokenSamples.claims(issuer: "Kiosks", good.joined(separator: ","))
    #expect(policy.permissions(of: claims).adminAccess == .full)
    for index in good.indices {
      var changed = good
      changed[index] = changed[index].replacing("K", with: "\u{212A}")
      let claims = try TokenSamples.claims(issuer: "Kiosks", changed.joined(separator: ","))
      #expect(policy.permissions(of: claims) == Permissions(), "\(changed[index])")
    }
    let other = try TokenSamples.claims(issuer: "\u{212A}iosks", good.joined(separator: ","))
    #expect(policy.permissions(of: other) == Permissions())
  }

  struct Mistake: Sendable, CustomTestStringConvertible {
    let text: String
    let words: [String]
    var testDescription: String { text }

    init(_ text: String, _ words: String...) {
      self.text = text
      self.words = words
    }

    /// Mappings with an alias of the previous one as key and value: each doubles the cost of parsing.
    static let nestedAliases = (1...21).reduce("- &a0 {x: y}") { $0 + "\n- &a\($1) {? *a\($1 - 1) : *a\($1 - 1)}" }

    static let all = [
      Mistake("", "empty"), Mistake("rules: [", "YAML"), Mistake("role: x", "line 1", "role", "unknown key"),
      Mistake("rules: {}", "rules", "a list of rules"), Mistake("{}", "line 1", "required key rules"),
      Mistake("limits: {call-rate-max: 5}", "required key rules"),
      Mistake(nestedAliases, "line 2", "YAML aliases"),
      Mistake(
        "rules: []\n" + String(repeating: "{[a]: b}\n", count: 17), "line 18",
        "mapping keys that are lists or mappings"),
      Mistake("\"" + String(repeating: #"\u0301"#, count: 31) + "\": 1\nrules: []", "line 1", "combining marks"),
      Mistake("rules: [] #" + String(repeating: "x", count: 1 << 20), "exceeds settings-file-size-max (1048576"),
      Mistake("rules:\n  - {role: viewer}", "line 2", "rules[0]", "one of user, group"),
      Mistake("rules: [{user: root, group: root, role: viewer}]", "one of user, group"),
      Mistake("rules: [{user: nobody-like-this, role: viewer}]", "rules[0].user", "unknown user"),
      Mistake("rules: [{group: nobody-like-this, role: viewer}]", "rules[0].group", "unknown group"),
      Mistake("rules: [{user: root}]", "required key role"),
      Mistake("rules: [{user: root, role: king}]", "rules[0].role", "operator, viewer, provider or display"),
      Mistake("rules: [{user: root, role: viewer, apps: all}]", "rules[0].apps", "access to all"),
      Mistake("rules: [{user: root, role: provider}]", "required key apps"),
      Mistake("rules: [{user: root, role: provider, apps: [weather]}]", "rules[0].apps[0]", "reverse-DNS"),
      Mistake("rules: [{user: root, role: provider, apps: {claim: apps}}]", "rules[0].apps", "requires a token rule"),
      Mistake("rules: [{user: root, role: display}]", "required key devices"),
      Mistake("rules: [{user: root, role: display, devices: all, apps: all}]", "rules[0].apps"),
      Mistake("rules: [{token: {iss: x}, role: viewer}]", "rules[0].token", "iss"),
      Mistake("rules: [{loopback: yes please, role: viewer}]", "rules[0].loopback", "true"),
      Mistake("rules: [{user: root, role: viewer, if: rain}]", "rules[0].if", "unknown key"),
      Mistake("rules: [{certificate: \u{212A}iosk, role: viewer}]", "rules[0].certificate", "NFC"),
      Mistake("rules: [{user: root, role: display, devices: [cafe\u{301}]}]", "rules[0].devices[0]", "NFC"),
      Mistake("rules: []\nrules: []", "line 1, column 1", "duplicate key rules"),
      Mistake("rules: ~", "line 1, column 8", "a list of rules"),
      Mistake("rules: [{user: root, role: provider, apps: all, devices: ~}]", "rules[0].devices", "a list"),
      Mistake("limits: {call-rate-max: 0}", "limits.call-rate-max", "integer"),
      Mistake("tokens: [{issuer: x, keys: keys.json}]", "tokens[0]", "audience"),
      Mistake("tokens: [{issuer: x, audience: y, keys: nowhere}]", "tokens[0].keys", "cannot be read"),
      Mistake("tokens: [{issuer: x, audience: y, keys: access.yaml}]", "tokens[0].keys", "not a JSON Web Key Set"),
      Mistake("tokens: [{issuer: x, audience: y, keys: none.json}]", "tokens[0].keys", "key set is empty"),
    ]
  }

  @Test("An invalid policy is rejected with the place and the reason", arguments: Mistake.all)
  func mistakes(mistake: Mistake) async throws {
    let error = await #expect(throws: ConfigurationError.self) { _ = try await Self.policy(mistake.text) }
    for word in mistake.words { #expect(error?.description.contains(word) == true, "\(String(describing: error))") }
  }

  @Test("A rate limit admits a burst, then a number of calls per second, for each principal separately")
  func rate() async throws {
    let policy = try await Self.policy("rules: []\nlimits: {call-rate-max: 1}")
    #expect(policy.callRate == .init(burst: 2, perSecond: 1))
    let access = AccessController(policy, SessionTable())
    let first = try access.principal(for: .connection(Self.user(4_000_001)))
    let same = try access.principal(for: .connection(Self.user(4_000_001)))
    let other = try access.principal(for: .connection(Self.user(4_000_002)))
    try first.beginCall(at: Self.now)
    try same.beginCall(at: Self.now)
    #expect(throws: (any Error).self) { try first.beginCall(at: Self.now) }
    try other.beginCall(at: Self.now)
    let owner = try access.principal(for: .connection(Self.user(0)))
    for _ in 1...10 { try owner.beginCall(at: Self.now) }
  }
}
