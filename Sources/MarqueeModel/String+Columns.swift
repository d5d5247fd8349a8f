extension String {
  /// The text's width in terminal columns, estimated from its characters.
  package var columnCount: Int { reduce(0) { $0 + $1.columnCount } }

  /// Returns the text truncated to `columns` columns with an ellipsis.
  package func truncated(to columns: Int) -> String {
    guard columnCount > columns else { return self }
    guard columns > 0 else { return "" }
    var (text, width) = ("", 0)
    for character in self {
      width += character.columnCount
      if width > columns - 1 { break }
      text.append(character)
    }
    return text + "…"
  }

  /// Returns the text truncated or padded with spaces to `columns` columns.
  package func fitted(to columns: Int, isRight: Bool = false) -> String {
    let text = truncated(to: columns)
    let padding = String(repeating: " ", count: max(0, columns - text.columnCount))
    return isRight ? padding + text : text + padding
  }

  /// The text on one line without terminal control: line breaks and tabs become spaces, other control characters become
  /// question marks, and bidirectional formatting characters are removed.
  package var singleLine: String {
    var scalars = UnicodeScalarView()
    for scalar in unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control: scalars.append(["\n", "\r", "\t"].contains(scalar) ? " " : "?")
      case .lineSeparator, .paragraphSeparator: scalars.append(" ")
      case .format where scalar != "\u{200D}": continue
      default: scalars.append(scalar)
      }
    }
    return String(scalars)
  }
}

extension Character {
  /// The ranges of wide characters (East Asian scripts and emoji), which take two columns.
  private static let wideRanges: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2E80...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
    0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1FAFF, 0x20000...0x3FFFD,
  ]

  /// The width in terminal columns: two for wide characters, none for a lone combining mark.
  package var columnCount: Int {
    guard let first = unicodeScalars.first else { return 0 }
    switch first.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format, .control: return 0
    default: break
    }
    let isPicture = first.properties.isEmojiPresentation || unicodeScalars.contains("\u{FE0F}")
    return isPicture || Self.wideRanges.contains { $0.contains(first.value) } ? 2 : 1
  }
}
