import Foundation
import JWTKit
import MarqueeRPC

/// Who signs tokens, by which keys, and for whom.
struct TokenIssuer: Sendable {
  /// The claim `iss` of its tokens.
  let name: String
  /// What their claim `aud` has to be or to hold.
  let audience: String
  /// Its public keys, by their identifiers.
  let keys: [String: any JWTAlgorithm]

  /// An issuer with the keys of a JSON Web Key Set. Throws a ``TokenKeyError``.
  init(name: String, audience: String, keySet: Data) async throws {
    let set: JWKS
    do { set = try JSONDecoder().decode(JWKS.self, from: keySet) } catch {
      throw TokenKeyError("is no JSON Web Key Set of RSA, EC or Ed25519 keys")
    }
    var keys: [String: any JWTAlgorithm] = [:]
    for (index, key) in set.keys.enumerated() {
      guard let identifier = key.keyIdentifier, keys[identifier.string] == nil else {
        throw TokenKeyError("key \(index) has no kid, or that of another one")
      }
      guard key.algorithm != nil else { throw TokenKeyError("key \(index) does not say its alg") }
      guard key.privateExponent == nil else { throw TokenKeyError("key \(index) is a private key") }
      do {
        keys[identifier.string] = try await JWTKeyCollection().add(jwk: key).getKey(for: identifier)
      } catch {
        throw TokenKeyError("key \(index) cannot be used")
      }
    }
    guard !keys.isEmpty else { throw TokenKeyError("has no key") }
    (self.name, self.audience, self.keys) = (name, audience, keys)
  }
}

/// Why a set of keys cannot be used, in words that follow the file's name.
struct TokenKeyError: Error {
  let reason: String

  init(_ reason: String) {
    self.reason = reason
  }
}

/// A token in its compact form, taken apart; nothing of it has been verified.
struct UnverifiedToken {
  /// What of the header matters. Other fields are not read.
  private struct Header: Decodable {
    let alg: String
    let kid: String?
    /// Extensions that whoever takes the token must know, and we know none.
    let crit: [String]?
  }

  private let header: Header
  private let claims: TokenClaims
  private let signed: ArraySlice<UInt8>
  private let signature: Data

  /// Takes a token apart; throws `UNAUTHENTICATED`.
  init(_ token: ArraySlice<UInt8>) throws(RPCStatus) {
    let parts = token.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 3, let header = Data(base64URL: parts[0]), let payload = Data(base64URL: parts[1]),
      let signature = Data(base64URL: parts[2]),
      // Why it cannot be read does not matter.
      let header = try? JSONDecoder().decode(Header.self, from: header), let claims = TokenClaims(payload)
    else { throw RPCStatus(.unauthenticated, "the token is no signed JSON Web Token") }
    self.header = header
    self.claims = claims
    self.signature = signature
    signed = token[parts[0].startIndex..<parts[1].endIndex]
  }

  /// What the token says, if one of the issuers has signed it and it is good at `now`, in seconds since 1970; throws
  /// `UNAUTHENTICATED`.
  func verified(by issuers: [String: TokenIssuer], at now: Int64) throws(RPCStatus) -> TokenClaims {
    guard let issuer = claims.names("iss").first.flatMap({ issuers[$0] }), header.crit == nil,
      let key = header.kid.map({ issuer.keys[$0] }) ?? issuer.keys.only, key.name == header.alg, isSigned(by: key)
    else { throw RPCStatus(.unauthenticated, "the token is not signed by a key of an issuer that is known here") }
    guard claims.has(issuer.audience, as: "aud") else {
      throw RPCStatus(.unauthenticated, "the token is for another audience")
    }
    guard let end = claims.end else { throw RPCStatus(.unauthenticated, "the token has no end (exp)") }
    guard now < end else { throw RPCStatus(.unauthenticated, "the token has expired") }
    guard now >= claims.start ?? now else { throw RPCStatus(.unauthenticated, "the token is not good yet (nbf)") }
    guard claims.names("sub").count == 1 else { throw RPCStatus(.unauthenticated, "the token names nobody (sub)") }
    return claims
  }

  private func isSigned(by key: any JWTAlgorithm) -> Bool {
    // A signature of the wrong length is an error to some algorithms, and no signature to us.
    (try? key.verify(signature, signs: signed)) ?? false
  }
}

extension Dictionary {
  /// The value, if there is just one.
  fileprivate var only: Value? { count == 1 ? values.first : nil }
}

extension Data {
  /// Reads Base64 with the alphabet that is safe in addresses, without padding.
  fileprivate init?(base64URL text: ArraySlice<UInt8>) {
    var text = text.map { byte in
      switch byte {
      case UInt8(ascii: "-"): UInt8(ascii: "+")
      case UInt8(ascii: "_"): UInt8(ascii: "/")
      // These belong to the other alphabet alone.
      case UInt8(ascii: "+"), UInt8(ascii: "/"): UInt8(ascii: "*")
      default: byte
      }
    }
    text += repeatElement(UInt8(ascii: "="), count: (4 - text.count % 4) % 4)
    self.init(base64Encoded: Data(text))
  }
}
