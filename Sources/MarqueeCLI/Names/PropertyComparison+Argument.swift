import Foundation
import MarqueeModel
import MarqueeSimulator

extension PropertyComparison {
  /// The operators; of two that begin alike, the longer one is first.
  private static let operators: [(text: String, comparator: Comparator)] = [
    ("!=", .notEqualTo), ("<=", .lessThanOrEqualTo), (">=", .greaterThanOrEqualTo), ("*=", .contains),
    ("^=", .hasPrefix), ("$=", .hasSuffix), ("=", .equalTo), ("<", .lessThan), (">", .greaterThan),
  ]

  /// Parses a comparison as users write it, such as `price<10`, or throws a usage failure.
  init(argument text: String) throws(CommandFailure) {
    // Compares bytes, since a combining mark after the operator would form a single character with it.
    let bytes = Array(text.utf8)
    for start in bytes.indices {
      guard let found = Self.operators.first(where: { bytes[start...].starts(with: $0.text.utf8) }) else { continue }
      let property = String(decoding: bytes[..<start], as: UTF8.self).trimmingCharacters(in: .whitespaces)
      let rest = String(decoding: bytes[(start + found.text.utf8.count)...], as: UTF8.self)
      self = try Arguments.check { () throws(RequestError) in
        let value = try WidgetValueText(unquoted: rest.trimmingCharacters(in: .whitespaces))
        return try PropertyComparison(.init(property), found.comparator, value.value())
      }
      return
    }
    throw CommandFailure(
      .usage, "\"\(text)\" is not a comparison",
      hints: [
        "Write PROPERTY, one of = != < <= > >= *= (contains) ^= (prefix) $= (suffix), and a value, such as 'price<10'."
      ])
  }
}
