import Foundation
import JWTKit
import MarqueeModel
import MarqueeRPC

/// A trusted issuer of tokens, with its keys and the audience that it issues them for.
struct TokenIssuer: Sendable {
  /// The claim `iss` of its tokens.
  let name: String
  /// The audience that the claim `aud` must contain.
  let audience: String
  /// The issuer's public keys by key identifier. They verify tokens of this issuer only.
  let keys: [ExactText: any JWTAlgorithm]

  /// Creates an issuer with the keys of a JSON Web Key Set; throws ``TokenKeyError``.
  init(name: String, audience: String, keySet: Data) async throws {
    let (set, purposes) = try Self.decode(keySet)
    var keys: [ExactText: any JWTAlgorithm] = [:]
    for (index, (key, purpose)) in zip(set.keys, purposes).enumerated() {
      guard let identifier = key.keyIdentifier, keys[ExactText(identifier.string)] == nil else {
        throw TokenKeyError("key \(index): kid is missing or duplicate")
      }
      guard key.algorithm != nil else { throw TokenKeyError("key \(index): alg is missing") }
      guard key.privateExponent == nil else { throw TokenKeyError("key \(index): must not be a private key") }
      guard purpose.allowsVerifying else {
        throw TokenKeyError("key \(index): use or key_ops does not allow verifying signatures")
      }
      guard key.hasCurveOfAlgorithm else { throw TokenKeyError("key \(index): crv does not match alg") }
      do {
        keys[ExactText(identifier.string)] = try await JWTKeyCollection().add(jwk: key).getKey(for: identifier)
      } catch {
        throw TokenKeyError("key \(index): unsupported key")
      }
    }
    guard !keys.isEmpty else { throw TokenKeyError("key set is empty") }
    (self.name, self.audience, self.keys) = (name, audience, keys)
  }

  /// Decodes the keys of a key set, and the purposes of the keys in the same order.
  private static func decode(_ json: Data) throws(TokenKeyError) -> (keys: JWKS, purposes: [KeyPurpose]) {
    let problem = TokenKeyError("not a JSON Web Key Set of RSA, EC or Ed25519 keys")
    guard let text = String(validating: json, as: UTF8.self), text.isStreamSafeSource else { throw problem }
    do {
      let purposes = try JSONDecoder().decode(KeyPurposes.self, from: json).keys
      return (try JSONDecoder().decode(JWKS.self, from: json), purposes)
    } catch {
      throw problem
    }
  }
}

/// The purposes of the keys of a key set.
private struct KeyPurposes: Decodable {
  let keys: [KeyPurpose]
}

/// The intended use of a key (RFC 7517, sections 4.2 and 4.3).
private struct KeyPurpose: Decodable {
  let use: String?
  let operations: [String]?

  enum CodingKeys: String, CodingKey {
    case use
    case operations = "key_ops"
  }

  var allowsVerifying: Bool {
    (use.map { $0.hasBytes(of: "sig") } ?? true) && (operations.map { $0.contains("verify") } ?? true)
  }
}

extension JWK {
  /// Whether the key's curve is that of its algorithm; `true` for RSA, which has no curve.
  fileprivate var hasCurveOfAlgorithm: Bool {
    let expected: String? =
      switch algorithm {
      case .es256?: "P-256"
      case .es384?: "P-384"
      case .es512?: "P-521"
      case .eddsa?: "Ed25519"
      default: nil
      }
    return curve?.rawValue == expected
  }
}

/// An error that states why a key set cannot be used.
struct TokenKeyError: Error {
  let reason: String

  init(_ reason: String) {
    self.reason = reason
  }
}

/// A parsed but unverified JSON Web Token in compact serialization.
struct UnverifiedToken {
  private let algorithm: String
  /// The key identifier in the header, if present.
  private let key: ExactText?
  private let claims: TokenClaims
  private let signed: ArraySlice<UInt8>
  private let signature: Data

  /// Parses a token; throws `UNAUTHENTICATED` if it is malformed.
  init(_ token: ArraySlice<UInt8>) throws(RPCStatus) {
    let parts = token.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 3, let header = Data(base64URL: parts[0]), let payload = Data(base64URL: parts[1]),
      let signature = Data(base64URL: parts[2]),
      let header = TokenObject(header), case .text(let algorithm) = header["alg"], let payload = TokenObject(payload)
    else {
      throw RPCStatus(.unauthenticated, "malformed token: not a signed JSON Web Token, or a duplicate member name")
    }
    switch header["kid"] {
    case nil: key = nil
    case .text(let identifier): key = ExactText(identifier)
    case let value?: throw RPCStatus(.unauthenticated, "token header kid is \(value.kind); expected a string")
    }
    // Critical extensions must be understood by the recipient (RFC 7515, section 4.1.11); none are supported.
    guard header["crit"] == nil else {
      throw RPCStatus(.unauthenticated, "token header has unsupported critical extensions (crit)")
    }
    self.algorithm = algorithm
    self.claims = try TokenClaims(payload)
    self.signature = signature
    signed = token[parts[0].startIndex..<parts[1].endIndex]
  }

  /// Returns the token's claims if its issuer signed it for the expected audience and it is valid at `now`; throws
  /// `UNAUTHENTICATED` otherwise.
  ///
  /// The keys and the audience are those of the issuer that the token names, and only the rules of that issuer apply to
  /// it, so one issuer cannot sign tokens for another.
  ///
  /// - Parameter now: The current time in seconds since 1970.
  func verified(by issuers: [ExactText: TokenIssuer], at now: Int64) throws(RPCStatus) -> TokenClaims {
    guard let issuer = issuers[claims.issuer], let key = key.map({ issuer.keys[$0] }) ?? issuer.keys.only,
      key.name.hasBytes(of: algorithm), isSigned(by: key)
    else { throw RPCStatus(.unauthenticated, "token signature is invalid, or its issuer or key is unknown") }
    guard claims.audiences.contains(where: { $0.hasBytes(of: issuer.audience) }) else {
      throw RPCStatus(.unauthenticated, "token audience (aud) does not match")
    }
    guard now < claims.expiry else { throw RPCStatus(.unauthenticated, "the token has expired") }
    guard now >= claims.notBefore ?? now else { throw RPCStatus(.unauthenticated, "token is not valid yet (nbf)") }
    return claims
  }

  private func isSigned(by key: any JWTAlgorithm) -> Bool {
    // Some algorithms throw on a signature of the wrong length, which is just an invalid signature.
    (try? key.verify(signature, signs: signed)) ?? false
  }
}

extension Dictionary {
  /// The value if there is exactly one.
  fileprivate var only: Value? { count == 1 ? values.first : nil }
}
