/// An intent that a spoken text means.
public struct PhraseMatch: Hashable, Sendable {
  /// The maximum number of matches of a text.
  public static let countMax = 20
  /// The maximum number of matches of a text with one app.
  public static let countPerAppMax = 5

  /// The app that performs the intent.
  public let app: AppID
  /// The invocation to perform.
  public let invocation: IntentInvocation
  /// The short title of the App Shortcut; may be empty.
  public let shortTitle: String
  /// The name of the App Shortcut's image; may be empty.
  public let imageName: String
  /// The phrase to show, with the app's name and the title of the parameter's value.
  public let phrase: String
  /// The representation of the intent for the user (rule X1); `nil` if not determined.
  public var display: ActionDisplay?

  /// Creates a match.
  public init(
    app: AppID, invocation: IntentInvocation, shortTitle: String, imageName: String, phrase: String,
    display: ActionDisplay? = nil
  ) {
    self.app = app
    self.invocation = invocation
    self.shortTitle = shortTitle
    self.imageName = imageName
    self.phrase = phrase
    self.display = display
  }
}

/// A match with the properties by which it is ranked.
public struct RankedPhrase: Sendable {
  /// The match.
  public let match: PhraseMatch
  /// The number of characters in the phrase's texts, without white space and the app's name.
  public let literalCount: Int
  /// The position of the phrase among those of the app.
  let position: Int
  /// The position of the value among the options with the same title.
  let valuePosition: Int

  private func precedes(_ other: RankedPhrase) -> Bool {
    if literalCount != other.literalCount { return literalCount > other.literalCount }
    if match.app != other.match.app { return match.app < other.match.app }
    return (position, valuePosition) < (other.position, other.valuePosition)
  }

  /// Returns the matches of all apps in their order, without duplicates, at most ``PhraseMatch/countMax`` and
  /// ``PhraseMatch/countPerAppMax`` of each app.
  ///
  /// Phrases with more literal characters come first. Equal ones are ordered by app, then as the app declares them.
  public static func matches(of phrases: [RankedPhrase]) -> [PhraseMatch] {
    var matches: [PhraseMatch] = []
    for phrase in phrases.sorted(by: { $0.precedes($1) }) {
      guard matches.count < PhraseMatch.countMax else { break }
      let match = phrase.match
      let own = matches.filter { $0.app == match.app }
      guard own.count < PhraseMatch.countPerAppMax else { continue }
      if !own.contains(where: { $0.invocation == match.invocation }) { matches.append(match) }
    }
    return matches
  }
}
