/// A command line as somebody types it, its words as a shell passes them to be completed: with quotes and backslashes.
struct TypedLine: Equatable, Sendable {
  /// The words, of which the first is the command.
  let words: [String]
  /// Which of them is being typed.
  let index: Int
  /// What is typed of it before the cursor.
  let typed: String

  /// A line; `prefix` is what the argument parser takes for the typed part, which is cut from the last word.
  init(words: [String], index: Int, prefix: String) {
    self.words = words
    self.index = index
    typed = index == words.count - 1 || !words.indices.contains(index) ? prefix : words[index]
  }

  /// What the typed part means.
  var meaning: String { Self.meaning(of: typed) }

  /// The options of these names that have a value on the line, as arguments; the word that is being typed is none yet.
  ///
  /// - Parameter variables: Those that stand for values on the line: `HOME` for a tilde, too.
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

  /// A word without its quotes and backslashes. With variables, these and a tilde at the beginning are replaced by
  /// what they stand for; nothing else is, and nothing is run.
  static func meaning(of word: String, _ variables: [String: String]? = nil) -> String {
    var (text, quote) = ("", Character?.none)
    var rest = Substring(word)
    if let home = variables?["HOME"], rest == "~" || rest.hasPrefix("~/") {
      text = home
      rest.removeFirst()
    }
    while let character = rest.popFirst() {
      if character == "\\", quote != "'" {
        // Within double quotes it stands for itself before all but a few signs.
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

  /// Takes the name of a variable behind its sign, and gives what it stands for; the sign itself without a name.
  private static func variable(_ rest: inout Substring, _ variables: [String: String]) -> String {
    guard let match = rest.prefixMatch(of: /\{([A-Za-z_][A-Za-z0-9_]*)\}|([A-Za-z_][A-Za-z0-9_]*)/) else { return "$" }
    rest = rest[match.range.upperBound...]
    return variables[String(match.1 ?? match.2 ?? "")] ?? ""
  }
}
