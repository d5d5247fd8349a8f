import Foundation
import MarqueeModel

/// A value that replaces a placeholder of a localized text.
enum FormatArgument: Hashable, Sendable {
  case integer(Int64)
  case unsigned(UInt64)
  case real(Double)
  case text(String)
  /// A text with its own localization.
  indirect case resource(LocalizedStringResource)

  /// Returns a format with its placeholders replaced: `%@`, `%lld`, `%.1f`, `%2$@` and the like, and `%%` for `%`.
  ///
  /// A placeholder without an argument, or with an argument of another type, does not fail, because translations are
  /// data: it stays in the text, or is replaced by the value as it is.
  static func text(_ format: String, _ arguments: [FormatArgument], in language: ResolvedLanguage) -> String {
    var text = ""
    var next = 0
    var rest = Substring(format)
    while let percent = rest.firstIndex(of: "%") {
      text += rest[..<percent]
      rest = rest[percent...].dropFirst()
      if rest.first == "%" {
        text += "%"
        rest = rest.dropFirst()
        continue
      }
      guard let placeholder = FormatPlaceholder(&rest) else {
        text += "%"
        continue
      }
      let index = placeholder.position.map { $0 - 1 } ?? next
      if placeholder.position == nil { next += 1 }
      text += arguments.indices.contains(index) ? arguments[index].text(placeholder, language) : placeholder.source
    }
    return text + rest
  }

  private func text(_ placeholder: FormatPlaceholder, _ language: ResolvedLanguage) -> String {
    switch self {
    case .integer(let value):
      guard placeholder.isInteger, placeholder.hasOptions else { return String(value) }
      return String(format: "%\(placeholder.options)lld", value)
    case .unsigned(let value):
      guard placeholder.isInteger, placeholder.hasOptions else { return String(value) }
      return String(format: "%\(placeholder.options)llu", value)
    case .real(let value):
      guard placeholder.isReal else { return String(value) }
      let locale = language.language.map { Locale(identifier: $0.text) }
      return String(format: "%\(placeholder.options)\(placeholder.conversion)", locale: locale, value)
    case .text(let text): return text
    case .resource(let resource): return language.text(of: resource)
    }
  }
}

/// A placeholder of a format: `%`, an optional position (`1$`), options (flags, width and precision), an optional
/// length, and a conversion.
private struct FormatPlaceholder {
  /// The argument's position, from 1.
  private(set) var position: Int?
  private(set) var options = ""
  let conversion: Character
  /// The placeholder itself.
  let source: String

  /// Reads a placeholder after its `%`; `nil`, and nothing is read, if there is none.
  init?(_ rest: inout Substring) {
    var text = rest
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    if let number = Int(digits), text.dropFirst(digits.count).first == "$" {
      position = number
      text = text.dropFirst(digits.count + 1)
    }
    options = String(text.prefix { "-+ #0123456789.".contains($0) })
    text = text.dropFirst(options.count)
    text = text.drop { "hlqLzjt".contains($0) }
    // A width of more than three digits is not meant for people.
    guard options.count <= 8, !options.split(whereSeparator: { !$0.isNumber }).contains(where: { $0.count > 3 }),
      let conversion = text.first, "@diuxXofFeEgGaA".contains(conversion)
    else { return nil }
    self.conversion = conversion
    text = text.dropFirst()
    source = "%" + rest[..<text.startIndex]
    rest = text
  }

  var hasOptions: Bool { !options.isEmpty }
  var isInteger: Bool { "diu".contains(conversion) }
  var isReal: Bool { "fFeEgGaA".contains(conversion) }
}
