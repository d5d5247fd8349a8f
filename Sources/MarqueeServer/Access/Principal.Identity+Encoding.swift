import Foundation
import MarqueeModel

extension Principal.Identity {
  /// The characters that are not escaped.
  private static let plain = CharacterSet(
    charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/@")

  /// The identity in printable ASCII, such as `certificate:kitchen.example.com`, for the metadata of a call that a node
  /// passes on.
  var encoded: String {
    switch self {
    case .user(let number): "user:\(number)"
    case .certificate(let names): "certificate:" + Self.joined(names.map(\.text))
    case .token(let issuer, let subject): "token:" + Self.joined([issuer.text, subject.text])
    case .session(let id): "session:" + Self.joined([id.text])
    case .sessions(let creator): "sessions:" + Self.joined([creator.text])
    case .loopback: "loopback:"
    case .anonymous: "anonymous:"
    }
  }

  /// Whether it is the bearer of a session's token.
  var isSession: Bool { if case .session = self { true } else { false } }

  /// Creates an identity from its encoded form; returns `nil` for any other text.
  init?(encoded text: String) {
    guard let colon = text.firstIndex(of: ":") else { return nil }
    let rest = text[text.index(after: colon)...]
    var parts: [String] = []
    for part in rest.split(separator: ",", omittingEmptySubsequences: false) {
      guard let decoded = String(part).removingPercentEncoding else { return nil }
      parts.append(decoded)
    }
    switch (text[..<colon], parts.count) {
    case ("user", 1):
      guard let number = UInt32(parts[0]) else { return nil }
      self = .user(number)
    case ("certificate", _): self = .certificate(parts.map(ExactText.init))
    case ("token", 2): self = .token(issuer: ExactText(parts[0]), subject: ExactText(parts[1]))
    case ("session", 1):
      guard let id = try? SessionID(parts[0]) else { return nil }  // The text is not one of a node.
      self = .session(id)
    case ("sessions", 1): self = .sessions(creator: ExactText(parts[0]))
    case ("loopback", _) where rest.isEmpty: self = .loopback
    case ("anonymous", _) where rest.isEmpty: self = .anonymous(nil)
    default: return nil
    }
  }

  private static func joined(_ parts: [String]) -> String {
    parts.map { part in
      guard let escaped = part.addingPercentEncoding(withAllowedCharacters: plain) else {
        preconditionFailure("a string has only valid scalars")
      }
      return escaped
    }.joined(separator: ",")
  }
}
