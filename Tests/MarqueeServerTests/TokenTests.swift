import Foundation
import MarqueeRPC
import Testing

@testable import MarqueeServer

@Suite("Tokens", .timeLimit(.minutes(1)))
struct TokenTests {
  private static let now: Int64 = 1_800_000_000

  private static func claims(_ token: [UInt8]) async throws -> TokenClaims {
    let issuer = try await TokenIssuer(name: "x", audience: "marquee", keySet: Data(TokenSamples.keySet.utf8))
    return try UnverifiedToken(token[...]).verified(by: ["x": issuer], at: now)
  }

  @Test("A signed token is taken until the second in which it ends, with its claims")
  func good() async throws {
    let all = #"{\#(TokenSamples.good), "exp": 1800000000.5, "nbf": 1800000000, "n": 7}"#
    let token = try await TokenSamples.token(claims: all)
    let claims = try await Self.claims(token)
    #expect(claims.names("sub") == ["me"] && claims.names("n").isEmpty && claims.end == Self.now + 1)
    let single = #"{"alg": "EdDSA"}"#
    let endless = #"{\#(TokenSamples.good), "exp": 1e300}"#
    _ = try await Self.claims(try await TokenSamples.token(header: single, claims: endless))
    let list = #"{"iss": "x", "sub": "me", "aud": ["a", "marquee"], "exp": 1800000001}"#
    _ = try await Self.claims(try await TokenSamples.token(claims: list))
  }

  struct Bad: Sendable, CustomTestStringConvertible {
    var header = #"{"alg": "EdDSA", "kid": "one"}"#
    var claims = #"{\#(TokenSamples.good), "exp": 1800000001}"#
    var change: @Sendable ([UInt8]) -> [UInt8] = { $0 }
    let word: String
    let testDescription: String

    init(
      _ description: String, header: String? = nil, claims: String? = nil, word: String,
      change: @escaping @Sendable ([UInt8]) -> [UInt8] = { $0 }
    ) {
      testDescription = description
      self.word = word
      self.change = change
      if let header { self.header = header }
      if let claims { self.claims = claims }
    }

    static let all = [
      Bad("no algorithm", header: #"{"alg": "none"}"#, word: "not signed"),
      Bad("no algorithm at all", header: "{}", word: "no signed JSON Web Token"),
      Bad("another algorithm", header: #"{"alg": "HS256", "kid": "one"}"#, word: "not signed"),
      Bad("an unknown key", header: #"{"alg": "EdDSA", "kid": "two"}"#, word: "not signed"),
      Bad("an extension", header: #"{"alg": "EdDSA", "kid": "one", "crit": ["b64"]}"#, word: "not signed"),
      Bad("a huge number", header: #"{"alg": "EdDSA", "kid": "one", "x": 1e300, "crit": 1e300}"#, word: "no signed"),
      Bad("a stranger", claims: #"{"iss": "y", "sub": "me", "aud": "marquee", "exp": 1800000001}"#, word: "known"),
      Bad("another audience", claims: #"{"iss": "x", "sub": "me", "aud": "m", "exp": 1800000001}"#, word: "audience"),
      Bad("nobody", claims: #"{"iss": "x", "aud": "marquee", "exp": 1800000001}"#, word: "sub"),
      Bad("no end", claims: #"{\#(TokenSamples.good)}"#, word: "exp"),
      Bad("an end that is no number", claims: #"{\#(TokenSamples.good), "exp": "soon"}"#, word: "no signed"),
      Bad("over", claims: #"{\#(TokenSamples.good), "exp": 1800000000}"#, word: "expired"),
      Bad("too early", claims: #"{\#(TokenSamples.good), "exp": 1800000002, "nbf": 1800000001}"#, word: "nbf"),
      Bad("no object", claims: "[]", word: "no signed"),
      Bad("deep", claims: String(repeating: "[", count: 5_000), word: "no signed"),
      Bad("two parts", word: "no signed") { Array($0[..<($0.lastIndex(of: UInt8(ascii: ".")) ?? 0)]) },
      Bad("no signature", word: "not signed") { Array($0[...($0.lastIndex(of: UInt8(ascii: ".")) ?? 0)]) },
      Bad("another signature", word: "not signed") { token in
        var token = token
        token[token.count - 10] = token[token.count - 10] == 0x41 ? 0x42 : 0x41
        return token
      },
      Bad("a letter that Base64 has not", word: "no signed") { [UInt8(ascii: "*")] + $0.dropFirst() },
      Bad("nothing", word: "no signed") { _ in [] },
    ]
  }

  @Test("A token that is not what it should be is not taken, and why is said without a word of it", arguments: Bad.all)
  func bad(bad: Bad) async throws {
    let token = bad.change(try await TokenSamples.token(header: bad.header, claims: bad.claims))
    let status = await #expect(throws: RPCStatus.self) { _ = try await Self.claims(token) }
    #expect(status?.code == .unauthenticated)
    #expect(status?.message.contains(bad.word) == true, "\(String(describing: status))")
  }

  @Test("However a token is changed, it is refused and nothing else happens", arguments: 1...4)
  func changed(seed: UInt64) async throws {
    let issuer = try await TokenIssuer(name: "x", audience: "marquee", keySet: Data(TokenSamples.keySet.utf8))
    let claims = #"{\#(TokenSamples.good), "exp": 1800000001}"#
    let token = try await TokenSamples.token(claims: claims)
    let header = Array(#"{"alg": "EdDSA", "kid": "one", "n": [1, 2.5, null, {"a": "b"}]}"#.utf8)
    var chance = seed &* 0x9E37_79B9_7F4A_7C15
    func number(below bound: Int) -> Int {
      chance = chance &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(chance >> 33) % bound
    }
    for _ in 1...500 {
      var changed = token
      // Of the last letter some bits carry nothing, so that another one may mean the same.
      changed[number(below: token.count - 1)] ^= UInt8(1 + number(below: 255))
      #expect(throws: RPCStatus.self) {
        try UnverifiedToken(changed[...]).verified(by: ["x": issuer], at: Self.now)
      }
      var (ends, said) = (header, Array(claims.utf8))
      ends[number(below: ends.count)] = UInt8(number(below: 256))
      said[number(below: said.count)] = UInt8(number(below: 256))
      let forged = "\(TokenSamples.encoded(ends)).\(TokenSamples.encoded(said)).AAAA"
      #expect(throws: RPCStatus.self) {
        try UnverifiedToken(Array(forged.utf8)[...]).verified(by: ["x": issuer], at: Self.now)
      }
    }
  }

  @Test("A stranger's signature is none")
  func forged() async throws {
    let claims = #"{\#(TokenSamples.good), "exp": 1800000001}"#
    let token = try await TokenSamples.token(claims: claims, signedWith: TokenSamples.newKey())
    await #expect(throws: RPCStatus.self) { _ = try await Self.claims(token) }
  }

  @Test(
    "A key set whose keys cannot be told apart, do not say their algorithm, or are private is refused",
    arguments: [
      TokenSamples.publicKey(#""alg": "EdDSA""#), TokenSamples.publicKey(#""kid": "one""#),
      TokenSamples.publicKey(#""alg": "EdDSA", "kid": "one", "d": "AAAA""#),
      #"{"kty": "oct", "k": "AAAA", "alg": "HS256", "kid": "one"}"#,
      TokenSamples.publicKey(#""alg": "ES256", "kid": "one""#),
    ])
  func keys(key: String) async {
    await #expect(throws: TokenKeyError.self) {
      _ = try await TokenIssuer(name: "x", audience: "y", keySet: Data(#"{"keys": [\#(key)]}"#.utf8))
    }
  }
}
