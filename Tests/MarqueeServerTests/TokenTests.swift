import Foundation
import MarqueeModel
import MarqueeRPC
import Testing

@testable import MarqueeServer

@Suite("Tokens", .timeLimit(.minutes(1)))
struct TokenTests {
  private static let now: Int64 = 1_800_000_000

  private static func claims(_ token: [UInt8]) async throws -> TokenClaims {
    let issuer = try await TokenIssuer(name: "x", audience: "marquee", keySet: Data(TokenSamples.keySet.utf8))
    return try UnverifiedToken(token[...]).verified(by: [ExactText("x"): issuer], at: now)
  }

  @Test("A signed token is valid until the second in which it expires, with its claims")
  func good() async throws {
    let all = #"{\#(TokenSamples.good), "exp": 1800000000.5, "nbf": 1800000000, "n": 7}"#
    let token = try await TokenSamples.token(claims: all)
    let claims = try await Self.claims(token)
    #expect(claims.subject == ExactText("me") && claims.names("n").isEmpty && claims.expiry == Self.now + 1)
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
      Bad("no algorithm", header: #"{"alg": "none"}"#, word: "signature is invalid"),
      Bad("no algorithm at all", header: "{}", word: "not a signed JSON Web Token"),
      Bad("another algorithm", header: #"{"alg": "HS256", "kid": "one"}"#, word: "signature is invalid"),
      Bad("an unknown key", header: #"{"alg": "EdDSA", "kid": "two"}"#, word: "signature is invalid"),
      Bad("an extension", header: #"{"alg": "EdDSA", "kid": "one", "crit": ["b64"]}"#, word: "crit"),
      Bad("a huge number", header: #"{"alg": "EdDSA", "kid": "one", "x": 1e300, "crit": 1e300}"#, word: "crit"),
      Bad("another issuer", claims: #"{"iss": "y", "sub": "me", "aud": "marquee", "exp": 1800000001}"#, word: "known"),
      Bad("another audience", claims: #"{"iss": "x", "sub": "me", "aud": "m", "exp": 1800000001}"#, word: "audience"),
      Bad("no subject", claims: #"{"iss": "x", "aud": "marquee", "exp": 1800000001}"#, word: "sub"),
      Bad("an extension of null", header: #"{"alg": "EdDSA", "crit": null}"#, word: "crit"),
      Bad("a kid that is not a string", header: #"{"alg": "EdDSA", "kid": null}"#, word: "kid is null"),
      Bad("a header with two keys", header: #"{"alg": "EdDSA", "kid": "two", "kid": "one"}"#, word: "duplicate"),
      Bad(
        "two issuers", claims: #"{"iss": ["x", "y"], "sub": "me", "aud": "marquee", "exp": 1800000001}"#,
        word: "claim iss is a list of strings; expected a single string"),
      Bad(
        "an issuer in a list", claims: #"{"iss": ["x"], "sub": "me", "aud": "marquee", "exp": 1800000001}"#, word: "iss"
      ),
      Bad("an issuer twice", claims: #"{\#(TokenSamples.good), "exp": 1800000001, "iss": "y"}"#, word: "duplicate"),
      Bad(
        "an issuer twice, once escaped", claims: #"{"\u0069ss": "y", \#(TokenSamples.good), "exp": 1800000001}"#,
        word: "duplicate"),
      Bad(
        "a claim twice", claims: #"{\#(TokenSamples.good), "exp": 1800000001, "r": [{"a": 1}], "r": ":{"}"#,
        word: "duplicate"),
      Bad(
        "two subjects", claims: #"{"iss": "x", "sub": ["me"], "aud": "marquee", "exp": 1800000001}"#,
        word: "claim sub is a list"),
      Bad("an empty subject", claims: #"{"iss": "x", "sub": "", "aud": "marquee", "exp": 1800000001}"#, word: "sub"),
      Bad(
        "a number for a subject", claims: #"{"iss": "x", "sub": 7, "aud": "marquee", "exp": 1800000001}"#, word: "sub"),
      Bad(
        "nested audience", claims: #"{"iss": "x", "sub": "me", "aud": [["marquee"]], "exp": 1800000001}"#, word: "aud"),
      Bad(
        "an audience that is an object",
        claims: #"{"iss": "x", "sub": "me", "aud": {"marquee": 1}, "exp": 1800000001}"#, word: "aud is an object"),
      Bad(
        "a mixed list of audiences", claims: #"{"iss": "x", "sub": "me", "aud": ["marquee", 7], "exp": 1800000001}"#,
        word: "aud"),
      Bad("an expiry that is a Boolean", claims: #"{\#(TokenSamples.good), "exp": true}"#, word: "exp is a boolean"),
      Bad("an expiry in a list", claims: #"{\#(TokenSamples.good), "exp": [1800000001]}"#, word: "exp"),
      Bad("an expiry of null", claims: #"{\#(TokenSamples.good), "exp": null}"#, word: "exp is null"),
      Bad("an infinite expiry", claims: #"{\#(TokenSamples.good), "exp": 1e999}"#, word: "token"),
      Bad("a start of null", claims: #"{\#(TokenSamples.good), "exp": 1800000001, "nbf": null}"#, word: "nbf is null"),
      Bad("a start that is a string", claims: #"{\#(TokenSamples.good), "exp": 1800000001, "nbf": "1"}"#, word: "nbf"),
      Bad(
        "an equivalent issuer", claims: #"{"iss": "x\u0340", "sub": "me", "aud": "marquee", "exp": 1800000001}"#,
        word: "known"),
      Bad("no expiry", claims: #"{\#(TokenSamples.good)}"#, word: "exp"),
      Bad(
        "an expiry that is not a number", claims: #"{\#(TokenSamples.good), "exp": "soon"}"#,
        word: "claim exp is a string; expected a number"),
      Bad("expired", claims: #"{\#(TokenSamples.good), "exp": 1800000000}"#, word: "expired"),
      Bad("too early", claims: #"{\#(TokenSamples.good), "exp": 1800000002, "nbf": 1800000001}"#, word: "nbf"),
      Bad("not an object", claims: "[]", word: "not a signed"),
      Bad("deeply nested", claims: String(repeating: "[", count: 5_000), word: "not a signed"),
      Bad("two parts", word: "not a signed") { Array($0[..<($0.lastIndex(of: UInt8(ascii: ".")) ?? 0)]) },
      Bad("no signature", word: "signature is invalid") { Array($0[...($0.lastIndex(of: UInt8(ascii: ".")) ?? 0)]) },
      Bad("another signature", word: "signature is invalid") { token in
        var token = token
        token[token.count - 10] = token[token.count - 10] == 0x41 ? 0x42 : 0x41
        return token
      },
      Bad("a character outside base64url", word: "not a signed") { [UInt8(ascii: "*")] + $0.dropFirst() },
      Bad("padding", word: "not a signed") { $0 + Array("==".utf8) },
      Bad("unused bits that are not 0", word: "not a signed") { token in
        // A signature has 64 bytes, so that 4 bits of the last character are unused.
        var token = token
        token[token.count - 1] += 1
        return token
      },
      Bad("31 combining marks in a row", claims: TokenTests.marked(31, "\u{301}"), word: "not a signed"),
      Bad("31 combining marks as escapes", claims: TokenTests.marked(31, #"\u0301"#), word: "not a signed"),
      Bad("an empty token", word: "not a signed") { _ in [] },
    ]
  }

  /// Returns valid claims and one whose name has `count` marks.
  fileprivate static func marked(_ count: Int, _ mark: String) -> String {
    #"{\#(TokenSamples.good), "exp": 1800000001, "a\#(String(repeating: mark, count: count))": 1}"#
  }

  @Test("A name with 30 combining marks in a row is accepted, literal and as escapes")
  func marks() async throws {
    for mark in ["\u{301}", #"\u0301"#] {
      _ = try await Self.claims(try await TokenSamples.token(claims: Self.marked(30, mark)))
    }
  }

  @Test("An invalid token is rejected, with a reason that does not quote it", arguments: Bad.all)
  func bad(bad: Bad) async throws {
    let token = bad.change(try await TokenSamples.token(header: bad.header, claims: bad.claims))
    let status = await #expect(throws: RPCStatus.self) { _ = try await Self.claims(token) }
    #expect(status?.code == .unauthenticated)
    #expect(status?.message.contains(bad.word) == true, "\(String(describing: status))")
  }

  @Test("Any mutation of a token is rejected without other effects", arguments: 1...4)
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
      changed[number(below: token.count)] ^= UInt8(1 + number(below: 255))
      #expect(throws: RPCStatus.self) {
        try UnverifiedToken(changed[...]).verified(by: [ExactText("x"): issuer], at: Self.now)
      }
      var (ends, said) = (header, Array(claims.utf8))
      ends[number(below: ends.count)] = UInt8(number(below: 256))
      said[number(below: said.count)] = UInt8(number(below: 256))
      let forged = "\(TokenSamples.encoded(ends)).\(TokenSamples.encoded(said)).AAAA"
      #expect(throws: RPCStatus.self) {
        try UnverifiedToken(Array(forged.utf8)[...]).verified(by: [ExactText("x"): issuer], at: Self.now)
      }
    }
  }

  @Test("A signature by another key is rejected")
  func forged() async throws {
    let claims = #"{\#(TokenSamples.good), "exp": 1800000001}"#
    let token = try await TokenSamples.token(claims: claims, signedWith: TokenSamples.newKey())
    await #expect(throws: RPCStatus.self) { _ = try await Self.claims(token) }
  }

  @Test("A key set whose keys have a matching use, key_ops and crv is accepted")
  func fittingKeys() async throws {
    let signing = TokenSamples.publicKey(#""alg": "EdDSA", "kid": "one", "use": "sig", "key_ops": ["verify"]"#)
    let point = TokenSamples.pointOnP256(#""alg": "ES256", "crv": "P-256""#)
    let set = #"{"keys": [\#(signing), \#(point)]}"#
    let issuer = try await TokenIssuer(name: "x", audience: "y", keySet: Data(set.utf8))
    #expect(issuer.keys.count == 2)
  }

  @Test(
    "A key set with a key that is private, has no kid or alg, or has another use or crv is rejected",
    arguments: [
      TokenSamples.publicKey(#""alg": "EdDSA""#), TokenSamples.publicKey(#""kid": "one""#),
      TokenSamples.publicKey(#""alg": "EdDSA", "kid": "one", "d": "AAAA""#),
      #"{"kty": "oct", "k": "AAAA", "alg": "HS256", "kid": "one"}"#,
      TokenSamples.publicKey(#""alg": "ES256", "kid": "one""#),
      TokenSamples.publicKey(#""alg": "EdDSA", "kid": "one", "use": "enc""#),
      TokenSamples.publicKey(#""alg": "EdDSA", "kid": "one", "key_ops": ["encrypt"]"#),
      TokenSamples.pointOnP256(#""alg": "ES256", "crv": "P-384""#),
      TokenSamples.pointOnP256(#""alg": "ES256""#),
    ])
  func keys(key: String) async {
    await #expect(throws: TokenKeyError.self) {
      _ = try await TokenIssuer(name: "x", audience: "y", keySet: Data(#"{"keys": [\#(key)]}"#.utf8))
    }
  }
}
