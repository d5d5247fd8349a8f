import Foundation
import JWTKit

/// A key, and tokens that it signs, put together by hand so that they may be wrong.
enum TokenSamples {
  static let key = newKey()

  /// The claims that every good token has, beside its end.
  static let good = #""iss": "x", "sub": "me", "aud": "marquee""#

  static func newKey() -> EdDSA.PrivateKey {
    do { return try EdDSA.PrivateKey() } catch { preconditionFailure("no key: \(error)") }
  }

  static func encoded(_ data: some Sequence<UInt8>) -> String {
    Data(data).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }

  static func publicKey(_ fields: String) -> String {
    #"{"kty": "OKP", "crv": "Ed25519", "x": "\#(encoded(key.publicKey.rawRepresentation))", \#(fields)}"#
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
