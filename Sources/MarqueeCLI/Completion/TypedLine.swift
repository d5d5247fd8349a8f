/// A partially typed command line, with the words as a shell passes them to completion, including quotes and
/// backslashes.
struct TypedLine: Equatable, Sendable {
  /// The words; the first is the command.
  let words: [String]
  /// The index of the word being typed.
  let index: Int
  /// The part of that word before the cursor.
  let typed: String

  /// Creates a line; `prefix` is the argument parser's idea of the typed part, which is a suffix of the actual word.
  init(words: [String], index: Int, prefix: String) {
    self.words = words
    self.index = index
    typed = index == words.count - 1 || !words.indices.contains(index) ? prefix : words[index]
  }

  /// The typed part without quoting.
  var meaning: String { Self.meaning(of: typed) }

  /// The words besides the one being typed, without quoting; of an option with an equals sign, the value.
  var otherWords: [String] {
    words.indices.filter { $0 != index }.map { position in
      let word = Self.meaning(of: words[position])
      guard word.hasPrefix("--"), let equals = word.firstIndex(of: "=") else { return word }
      return String(word[word.index(after: equals)...])
    }
  }

  /// Returns the options with these names that have a value on the line, as arguments. The word being typed is not
  /// included.
  ///
  /// - Parameter variables: The values of variables that occur on the line; `HOME` also replaces a tilde.
  func options(_ names: [String], _ variables: [String: String]) -> [String] {
    var found: [String] = []
    var position = 1
    while position < words.count, words[position] != "--" {
      let word = words[position]
      if names.contains(word), position + 1 < words.count {
        if position + 1 != index { found += [word, Self.meaning(of: words[position + 1], variables)] }
        position += 1
      } else if position != index, let equals = word.firstIndex(of: "="), names.contains(String(word[..<equals])) {
        found += [String(word[..<equals]), Self.meaning(of: String(word[word.index(after: equals)...]), variables)]
      }
      position += 1
    }
    return found
  }

  /// Removes a word's quotes and backslashes. If variables are given, they and a leading tilde are expanded; no other
  /// expansion is performed, and no command is executed.
  static func meaning(of word: String, _ variables: [String: String]? = nil) -> String {
    var (text, quote) = ("", Character?.none)
    var rest = Substring(word)
    if let home = variables?["HOME"], rest == "~" || rest.hasPrefix("~/") {
      text = home
      rest.removeFirst()
    }
    while let character = rest.popFirst() {
      if character == "\\", quote != "'" {
        // Within double quotes, a backslash escapes only a few characters.
        if let next = rest.first, quote == nil || "\"\\$`".contains(next) {
          text.append(next)
          rest.removeFirst()
        } else if quote != nil {
          text.append(character)
        }
      } else if character == quote {
        quote = nil
      } else if quote == nil, character == "'" || character == "\"" {
        quote = character
      } else if character == "$", quote != "'", let variables {
        text += variable(&rest, variables)
      } else {
        text.append(character)
      }
    }
    return text
  }

  /// Consumes a variable's name after its dollar sign and returns its value, or the dollar sign if there is no name.
  private static func variable(_ rest: inout Substring, _ variables: [String: String]) -> String {
    guard let match = rest.prefixMatch(of: /\{([A-Za-z_][A-Za-z0-9_]*)\}|([A-Za-z_][A-Za-z0-9_]*)/) else { return "$" }
    rest = rest[match.range.upperBound...]
    return variables[String(match.1 ?? match.2 ?? "")] ?? ""
  }
}
