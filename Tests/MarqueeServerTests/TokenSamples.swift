import Foundation
import JWTKit

@testable import MarqueeServer

/// A key, and tokens signed with it, assembled from text so that they can be invalid.
enum TokenSamples {
  static let key = newKey()

  /// The claims of a valid token, except for its expiry.
  static let good = #""iss": "x", "sub": "me", "aud": "marquee""#

  /// Returns the claims of an unsigned token.
  static func claims(issuer: String, _ others: String) throws -> TokenClaims {
    try claims(issuers: "\"\(issuer)\"", others)
  }

  /// Returns the claims of an unsigned token with a JSON value for the claim `iss`.
  static func claims(issuers: String, _ others: String) throws -> TokenClaims {
    let text = #"{"iss": \#(issuers), "sub": "me", "aud": "marquee", "exp": 1800000001, \#(others)}"#
    guard let object = TokenObject(Data(text.utf8)) else { throw TokenKeyError("the claims are not a JSON object") }
    return try TokenClaims(object)
  }

  static func newKey() -> EdDSA.PrivateKey {
    do { return try EdDSA.PrivateKey() } catch { preconditionFailure("key generation failed: \(error)") }
  }

  static func encoded(_ data: some Sequence<UInt8>) -> String {
    Data(data).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }

  static func publicKey(_ fields: String) -> String {
    #"{"kty": "OKP", "crv": "Ed25519", "x": "\#(encoded(key.publicKey.rawRepresentation))", \#(fields)}"#
  }

  /// A public key with the base point of the curve P-256.
  static func pointOnP256(_ fields: String) -> String {
    let x = "axfR8uEsQkf4vOblY6RA8ncDfYEt6zOg9KE5RdiYwpY"
    let y = "T-NC4v4af5uO5-tKfA-eFivOM1drMV7Oy7ZAaDe_UfU"
    return #"{"kty": "EC", "kid": "point", "x": "\#(x)", "y": "\#(y)", \#(fields)}"#
  }

  static let keySet = #"{"keys": [\#(publicKey(#""alg": "EdDSA", "kid": "one""#))]}"#

  static func token(
    header: String = #"{"alg": "EdDSA", "kid": "one"}"#, claims: String, signedWith key: EdDSA.PrivateKey = key
  ) async throws -> [UInt8] {
    let signed = "\(encoded(header.utf8)).\(encoded(claims.utf8))"
    let algorithm = try await JWTKeyCollection().add(eddsa: key).getKey()
    return Array("\(signed).\(encoded(try algorithm.sign(Array(signed.utf8))))".utf8)
  }
}
