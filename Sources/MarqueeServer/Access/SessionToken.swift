import Crypto
import Foundation
import MarqueeModel

/// The bearer token of a session: `mqs_`, the session's identifier, an underscore, and a random secret of 256 bits in
/// base64url.
///
/// It is not a JSON Web Token, which has two dots, so that neither can be mistaken for the other.
struct SessionToken {
  private static let prefix = "mqs_"
  private static let secretSize = 32

  let id: SessionID
  private let secret: Data

  /// Creates a token with a random identifier and secret.
  init() {
    let digits = String(UInt32.random(in: 0x1000_0000 ... .max), radix: 16)
    guard let id = try? SessionID(digits) else { preconditionFailure("hexadecimal digits are no identifier") }
    self.id = id
    secret = SymmetricKey(size: .bits256).withUnsafeBytes { Data($0) }
  }

  /// Parses the value of `authorization` metadata; returns `nil` if it is not the bearer token of a session.
  init?(authorization: [UInt8]) {
    guard let token = BearerCredentials(authorization: authorization)?.token, token.starts(with: Self.prefix.utf8)
    else { return nil }
    let parts = token.dropFirst(Self.prefix.utf8.count).split(separator: UInt8(ascii: "_"), maxSplits: 1)
    // An invalid identifier is that of no session.
    guard parts.count == 2, let text = String(validating: parts[0], as: UTF8.self), let id = try? SessionID(text),
      let secret = Data(base64URL: parts[1]), secret.count == Self.secretSize
    else { return nil }
    self.id = id
    self.secret = secret
  }

  /// The text that clients send.
  var text: String { "\(Self.prefix)\(id)_\(secret.base64URL)" }

  /// The hash of the secret, which suffices to recognize it: a random secret cannot be guessed from its hash.
  var hash: [UInt8] { Array(SHA256.hash(data: secret)) }

  /// Whether the token's secret has that hash, in a time that does not depend on how far they agree.
  func hasHash(_ hash: [UInt8]) -> Bool {
    let own = self.hash
    return own.count == hash.count && zip(own, hash).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
