/// Finds the phrases of one app that a text can mean.
public struct PhraseMatcher: Sendable {
  /// The maximum number of phrases with a parameter that a text can mean.
  public static let parameterCandidateCountMax = 4

  /// The app.
  public let app: AppID
  /// The app's name in phrases; empty if the app gives none.
  public let applicationName: String
  /// The phrases, those with more literal characters first.
  private let patterns: [PhrasePattern]

  /// Creates a matcher for an app's phrases.
  public init(_ book: PhraseBook, of app: AppID) {
    self.app = app
    applicationName = book.applicationName
    let name = SpokenText.units(of: book.applicationName).trimmed
    var patterns: [PhrasePattern] = []
    for shortcut in book.shortcuts {
      for phrase in shortcut.phrases {
        patterns.append(PhrasePattern(phrase, of: shortcut, patterns.count, applicationName: name))
      }
    }
    self.patterns = patterns.sorted { ($1.literalCount, $0.position) < ($0.literalCount, $1.position) }
  }

  /// Whether the app has no phrases.
  public var isEmpty: Bool { patterns.isEmpty }

  /// Returns the phrases that the whole text can mean, those with more literal characters first.
  ///
  /// Phrases with the same intent, parameter and value count once. At most ``parameterCandidateCountMax`` have a
  /// parameter; those whose value cannot be read as the parameter's type are left out.
  public func candidates(for text: SpokenText) -> [PhraseCandidate] {
    var found: [PhraseCandidate] = []
    var parameterCount = 0
    for pattern in patterns {
      guard let range = pattern.value(in: text) else { continue }
      let candidate = PhraseCandidate(
        app: app, applicationName: applicationName, pattern: pattern, text: text, range: range)
      guard candidate.isReadable, !found.contains(where: { candidate.hasMeaning(of: $0) }) else { continue }
      found.append(candidate)
      if pattern.phrase.parameter != nil { parameterCount += 1 }
      if parameterCount == Self.parameterCandidateCountMax { break }
    }
    return found
  }
}

/// A phrase in the form in which it is compared.
private struct PhrasePattern {
  let shortcut: AppShortcutDescriptor
  let phrase: PhraseTemplate
  let position: Int
  /// The text before the parameter; the whole text if there is none.
  let before: String
  /// The text after the parameter.
  let after: String
  let literalCount: Int

  init(
    _ phrase: PhraseTemplate, of shortcut: AppShortcutDescriptor, _ position: Int,
    applicationName: ArraySlice<SpokenText.Unit>
  ) {
    var (texts, literalCount): ([[SpokenText.Unit]], Int) = ([[]], 0)
    for part in phrase.parts {
      switch part {
      case .text(let text):
        let units = SpokenText.units(of: text)
        literalCount += units.count { $0.character != " " }
        texts[texts.count - 1].join(units[...])
      case .applicationName: texts[texts.count - 1].join(applicationName)
      case .parameter: texts.append([])
      }
    }
    self.shortcut = shortcut
    self.phrase = phrase
    self.position = position
    self.literalCount = literalCount
    before = texts.count == 1 ? texts[0].trimmed.text : texts[0][...].trimmedAtStart.text
    after = texts.count == 1 ? "" : texts[1][...].trimmedAtEnd.text
  }

  /// Returns the range of the parameter's value in a text, without white space at either end: empty for a phrase
  /// without a parameter; `nil` if the phrase does not match.
  func value(in text: SpokenText) -> Range<Int>? {
    guard let start = text.end(ofPrefix: before) else { return nil }
    guard phrase.parameter != nil else { return start == text.units.count ? start..<start : nil }
    guard let end = text.start(ofSuffix: after), start < end else { return nil }
    let range = text.units[start..<end].trimmed.indices
    guard !range.isEmpty, !text.isWithinWord(start), !text.isWithinWord(end) else { return nil }
    return range
  }
}

/// A phrase that a text can mean, before the value of its parameter is resolved.
public struct PhraseCandidate: Sendable {
  /// The app.
  public let app: AppID
  private let applicationName: String
  private let pattern: PhrasePattern
  private let text: SpokenText
  /// The range of the value in the text.
  private let range: Range<Int>

  fileprivate init(
    app: AppID, applicationName: String, pattern: PhrasePattern, text: SpokenText, range: Range<Int>
  ) {
    self.app = app
    self.applicationName = applicationName
    self.pattern = pattern
    self.text = text
    self.range = range
  }

  /// The number of characters in the phrase's texts, without white space and the app's name.
  public var literalCount: Int { pattern.literalCount }

  /// The text of the parameter's value as spoken; empty for a phrase without a parameter.
  ///
  /// Without options, it consists of all characters between the texts of the phrase except white space at its ends;
  /// with options, punctuation at its ends is left out too.
  public var spoken: String {
    guard let parameter = pattern.phrase.parameter else { return "" }
    return parameter.hasOptions ? text.original(range) : text.originalWithPunctuation(range)
  }

  /// The parameter whose value the app's options determine, if any.
  public var optionsParameter: IntentParameter.Name? {
    guard let parameter = pattern.phrase.parameter, parameter.hasOptions else { return nil }
    return parameter.name
  }

  /// The intent, with the values that are the same for all phrases.
  public var intent: Intent { pattern.shortcut.intent }

  /// Whether a value without options can be read as the parameter's type.
  fileprivate var isReadable: Bool {
    guard let parameter = pattern.phrase.parameter, !parameter.hasOptions else { return true }
    return value(of: parameter) != nil
  }

  /// Whether the candidate has the same intent, parameter and value as another one for the same text.
  fileprivate func hasMeaning(of other: PhraseCandidate) -> Bool {
    range == other.range && pattern.phrase.parameter == other.pattern.phrase.parameter && intent == other.intent
  }

  /// Returns the match of a phrase without options: its value, if any, is the spoken text.
  ///
  /// - Returns: The match; `nil` if the text cannot be read as the parameter's type.
  public func match() -> RankedPhrase? {
    guard let parameter = pattern.phrase.parameter else { return ranked(intent, title: "") }
    guard !parameter.hasOptions, let value = value(of: parameter) else { return nil }
    return ranked(parameter.name, value, title: spoken)
  }

  /// Returns the matches with the options whose titles equal the spoken text, at most ``PhraseMatch/countPerAppMax``.
  ///
  /// - Parameters:
  ///   - options: The options; those after the first ``OptionsQuery/countMax`` are ignored, like those whose value has
  ///     another type than the parameter.
  ///   - isWanted: Whether the matches are still wanted. It is called before each option is compared.
  public func matches(
    among options: [ParameterOption], while isWanted: () -> Bool = { true }
  ) -> [RankedPhrase] {
    guard let parameter = pattern.phrase.parameter, parameter.hasOptions else { return [] }
    let compared = text.units[range].text
    var matches: [RankedPhrase] = []
    for option in options.prefix(OptionsQuery.countMax) {
      guard matches.count < PhraseMatch.countPerAppMax, isWanted() else { break }
      guard option.value.type == parameter.type, Self.isTitle(option.title, compared) else { continue }
      if let match = ranked(parameter.name, option.value, title: option.title, matches.count) { matches.append(match) }
    }
    return matches
  }

  private static func isTitle(_ title: String, _ compared: String) -> Bool {
    title.utf8.count <= SpokenText.sizeMax && SpokenText.units(of: title).trimmed.text == compared
  }

  private func value(of parameter: PhraseTemplate.Parameter) -> IntentValue? {
    parameter.type.value(spoken: spoken, compared: text.units[range].text)
  }

  /// Returns the match with a value; `nil` if the intent cannot have it.
  private func ranked(
    _ name: IntentParameter.Name, _ value: IntentValue, title: String, _ valuePosition: Int = 0
  ) -> RankedPhrase? {
    let others = intent.parameters.filter { $0.name != name }
    let parameter = IntentParameter(name: name, value: .single(value))
    do {
      return ranked(try Intent(type: intent.type, parameters: others + [parameter]), title: title, valuePosition)
    } catch {
      // The intent would have too many parameters, or the value is too large.
      return nil
    }
  }

  private func ranked(_ intent: Intent, title: String, _ valuePosition: Int = 0) -> RankedPhrase {
    let shortcut = pattern.shortcut
    let match = PhraseMatch(
      app: app, invocation: IntentInvocation(intent), shortTitle: shortcut.shortTitle, imageName: shortcut.imageName,
      phrase: pattern.phrase.shown(applicationName: applicationName, value: title))
    return RankedPhrase(
      match: match, literalCount: literalCount, position: pattern.position, valuePosition: valuePosition)
  }
}

extension IntentValueType {
  /// Returns the value of a spoken text; `nil` if it cannot be read as the type.
  fileprivate func value(spoken: String, compared: String) -> IntentValue? {
    switch self {
    case .string: return .string(spoken)
    case .integer: return Self.decimalNumber(spoken).flatMap { Int64($0) }.map { .integer($0) }
    case .double:
      return Self.decimalNumber(spoken).flatMap { Double($0) }.flatMap { $0.isFinite ? .double($0) : nil }
    case .boolean:
      switch compared {
      case "true", "yes", "on": return .boolean(true)
      case "false", "no", "off": return .boolean(false)
      default: return nil
      }
    case .date, .enumCase, .object, .place, .person: return nil
    }
  }

  /// Returns a spoken decimal number with ASCII digits.
  ///
  /// A number consists of decimal digits of any script, optionally with a sign before them and one decimal point.
  /// Punctuation that ends a sentence is left out. Hexadecimal numbers, exponents and separators of thousands are not
  /// read.
  private static func decimalNumber(_ spoken: String) -> String? {
    var rest = spoken.unicodeScalars[...]
    while let last = rest.last, ".,!?;".unicodeScalars.contains(last) { rest.removeLast() }
    var (number, digitCount, pointCount) = ("", 0, 0)
    for (index, scalar) in rest.enumerated() {
      if scalar.properties.generalCategory == .decimalNumber, let value = scalar.properties.numericValue {
        number += String(Int(value))
        digitCount += 1
      } else if scalar == "." {
        number += "."
        pointCount += 1
      } else if index == 0, scalar == "+" || scalar == "-" || scalar == "\u{2212}" {
        number += scalar == "+" ? "+" : "-"
      } else {
        return nil
      }
    }
    return digitCount > 0 && pointCount <= 1 ? number : nil
  }
}

extension [SpokenText.Unit] {
  /// Appends the units of the next part of a phrase; a sequence of white space is one space.
  fileprivate mutating func join(_ units: ArraySlice<Element>) {
    self += last?.character == " " ? units.trimmedAtStart : units
  }
}
