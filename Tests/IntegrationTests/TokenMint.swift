import Foundation
import JWTKit
import MarqueeTestSupport
import MarqueeTransport
import Synchronization

/// Signs tokens as a trusted issuer of the server's access policy.
final class TokenMint: Sendable {
  /// The claims of a token, except the issuer.
  struct Claims: Codable, Sendable {
    var sub = "somebody"
    var role: String?
    var apps: [String]?
    var devices: [String]?
    var aud = "marquee"
    var exp = Int(Date().timeIntervalSince1970) + 3_600
    var nbf: Int?
  }

  private struct Payload: JWTPayload {
    let iss: String
    let claims: Claims

    init(iss: String, claims: Claims) {
      self.iss = iss
      self.claims = claims
    }

    init(from decoder: any Decoder) throws { throw UnexpectedEvent() }

    func encode(to encoder: any Encoder) throws {
      try claims.encode(to: encoder)
      var container = encoder.container(keyedBy: Key.self)
      try container.encode(iss, forKey: .iss)
    }

    func verify(using algorithm: some JWTAlgorithm) async throws {}

    private enum Key: CodingKey { case iss }
  }

  static let issuer = "https://id.example.com"

  private let key: EdDSA.PrivateKey
  private let identifier: String

  init(_ identifier: String = "first") throws {
    key = try EdDSA.PrivateKey()
    self.identifier = identifier
  }

  /// The public key as a JSON Web Key Set.
  var keySet: String {
    let x = key.publicKey.rawRepresentation.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
      .replacing("=", with: "")
    return #"{"keys": [{"kty": "OKP", "crv": "Ed25519", "alg": "EdDSA", "kid": "\#(identifier)", "x": "\#(x)"}]}"#
  }

  /// A signed token with these claims.
  func token(_ claims: Claims, issuer: String = issuer) async throws -> String {
    let keys = await JWTKeyCollection().add(eddsa: key, kid: JWKIdentifier(string: identifier))
    return try await keys.sign(Payload(iss: issuer, claims: claims), kid: JWKIdentifier(string: identifier))
  }

  /// Rules that give every role to tokens that claim it.
  static let policy = """
    tokens:
      - {issuer: "\(issuer)", audience: marquee, keys: keys.json}
    rules:
      - {token: {iss: "\(issuer)", role: operator}, role: operator}
      - {token: {iss: "\(issuer)", role: viewer}, role: viewer}
      - {token: {iss: "\(issuer)", role: provider}, role: provider, apps: {claim: apps}}
      - {token: {iss: "\(issuer)", role: display}, role: display, devices: {claim: devices}}
    """

  /// Writes the policy and the key set, and returns the policy's path.
  func write(_ policy: String = policy, to directory: TemporaryDirectory) throws -> String {
    _ = try directory.write(keySet, to: "keys.json")
    return try directory.write(policy, to: "access.yaml")
  }
}

extension ClientConfiguration {
  /// A configuration that connects without delay, with a bearer token.
  static func bearing(_ token: String) -> ClientConfiguration {
    var configuration = ClientConfiguration.eager
    configuration.authorization = { "Bearer \(token)" }
    return configuration
  }
}
