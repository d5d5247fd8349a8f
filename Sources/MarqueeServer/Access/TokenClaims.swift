import Foundation

/// What a token says of its bearer, once its signature has been verified.
struct TokenClaims: Sendable {
  /// The value of one claim; numbers, flags and objects say nothing here.
  private enum Value: Decodable {
    case text(String)
    case list([String])
    case other

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      // Not to be of a type is no failure here: the next one is tried.
      if let text = try? container.decode(String.self) {
        self = .text(text)
      } else if let list = try? container.decode([String].self) {
        self = .list(list)
      } else {
        self = .other
      }
    }
  }

  private struct Times: Decodable {
    let exp: Double?
    let nbf: Double?
  }

  private let values: [String: Value]
  /// The first second since 1970 at which the token is good no more; `nil` when it says none.
  let end: Int64?
  /// The second since 1970 from which on it is good; `nil` when it says none.
  let start: Int64?

  /// Reads a token's payload, a JSON object; `nil` when it is none, or its times are no numbers.
  init?(_ payload: Data) {
    // Why it cannot be read does not matter.
    guard let values = try? JSONDecoder().decode([String: Value].self, from: payload),
      let times = try? JSONDecoder().decode(Times.self, from: payload)
    else { return nil }
    self.values = values
    end = times.exp.map { Int64($0.rounded(.up).clamped) }
    start = times.nbf.map { Int64($0.rounded(.up).clamped) }
  }

  /// The names that a claim gives: its text, or each of its list; none when it is absent.
  func names(_ claim: String) -> [String] {
    switch values[claim] {
    case .text(let text): [text]
    case .list(let list): list
    case .other, nil: []
    }
  }

  /// Whether a claim has that value, or has it in its list. `scope` is a list of words in one text.
  func has(_ value: String, as claim: String) -> Bool {
    let names = names(claim)
    return names.contains(value)
      || claim == "scope" && names.contains { $0.split(separator: " ").contains { $0 == value } }
  }
}

extension Double {
  /// The nearest number of seconds that dates go to.
  fileprivate var clamped: Double { Swift.min(Swift.max(self, 0), 253_402_300_800) }
}
