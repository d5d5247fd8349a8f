import Foundation
import MarqueeModel
import MarqueeRPC

/// The claims of a token, with the registered claims checked for presence and type.
///
/// `iss` and `sub` must each be a single string: with a list of issuers, one issuer could impersonate another.
struct TokenClaims: Sendable {
  /// The claim `iss`.
  let issuer: ExactText
  /// The claim `sub`.
  let subject: ExactText
  /// The values of the claim `aud`.
  let audiences: [String]
  /// The first second since 1970 at which the token is expired, from the claim `exp`.
  let expiry: Int64
  /// The second since 1970 from which the token is valid, from the claim `nbf`, if present.
  let notBefore: Int64?
  private let object: TokenObject

  /// Parses a token's payload; throws `UNAUTHENTICATED` if a required claim is missing or has the wrong type.
  init(_ object: TokenObject) throws(RPCStatus) {
    self.object = object
    issuer = try Self.text(object, "iss")
    subject = try Self.text(object, "sub")
    switch object["aud"] {
    case .text(let audience): audiences = [audience]
    case .list(let list): audiences = list
    case let value: throw Self.wrong("aud", value, "a string or a list of strings")
    }
    expiry = try Self.second(object, "exp")
    notBefore = object["nbf"] == nil ? nil : try Self.second(object, "nbf")
  }

  /// Returns the string value of a claim, or the strings of its list; empty if it is missing or of another type.
  func names(_ claim: String) -> [String] {
    switch object[claim] {
    case .text(let text): [text]
    case .list(let list): list
    case .number, .other, nil: []
    }
  }

  /// Returns whether a claim equals a value, or its list contains it, compared by UTF-8 bytes. The claim `scope` is a
  /// space-separated list.
  func has(_ value: String, as claim: String) -> Bool {
    if claim.hasBytes(of: "scope"), case .text(let words) = object[claim] {
      return words.utf8.split(separator: UInt8(ascii: " ")).contains { $0.elementsEqual(value.utf8) }
    }
    return names(claim).contains { $0.hasBytes(of: value) }
  }

  private static func text(_ object: TokenObject, _ claim: String) throws(RPCStatus) -> ExactText {
    guard case .text(let text) = object[claim], !text.isEmpty else {
      throw wrong(claim, object[claim], "a single string")
    }
    return ExactText(text)
  }

  private static func second(_ object: TokenObject, _ claim: String) throws(RPCStatus) -> Int64 {
    guard case .number(let number) = object[claim] else { throw wrong(claim, object[claim], "a number") }
    return Int64(saturating: number.rounded(.up).clamped)
  }

  private static func wrong(_ claim: String, _ value: TokenObject.Value?, _ expected: String) -> RPCStatus {
    let kind =
      switch value {
      case .text("")?: "an empty string"
      case let value?: value.kind
      case nil: "missing"
      }
    return RPCStatus(.unauthenticated, "token claim \(claim) is \(kind); expected \(expected)")
  }
}

extension Double {
  /// The value clamped to the seconds from 1970 to 9999.
  fileprivate var clamped: Double { Swift.min(Swift.max(self, 0), 253_402_300_800) }
}
