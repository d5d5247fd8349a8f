/// The texts of a supported parameter combination, in the app's language (rule X1).
public struct ActionTexts: Hashable, Sendable {
  /// The maximum size of a text, in UTF-8 bytes.
  public static let textSizeMax = 1_024
  /// The maximum number of search keywords.
  public static let keywordCountMax = 32

  /// No texts.
  public static let none = ActionTexts()

  /// The title of the action; empty for the intent type's.
  public let title: TextFormat
  /// The second line; may be empty.
  public let subtitle: TextFormat
  /// The sentence that summarizes the action; may be empty.
  public let summary: TextFormat
  /// The app's key of an image; may be empty.
  public let imageKey: String
  /// The category in a list of actions; may be empty.
  public let category: String
  /// The terms by which a list of actions is searched, in addition to the texts.
  public let keywords: [String]

  private init() { (title, subtitle, summary, imageKey, category, keywords) = (.empty, .empty, .empty, "", "", []) }

  /// Creates texts.
  ///
  /// - Throws: ``RequestError`` if a text is longer than ``textSizeMax``, or there are more than ``keywordCountMax``
  ///   keywords or an empty one.
  public init(
    title: TextFormat = .empty, subtitle: TextFormat = .empty, summary: TextFormat = .empty, imageKey: String = "",
    category: String = "", keywords: [String] = []
  ) throws(RequestError) {
    try Self.check(imageKey, "image_key")
    try Self.check(category, "category")
    guard keywords.count <= Self.keywordCountMax else {
      throw .over(
        limit: "keyword-count-max", maximum: Self.keywordCountMax, count: keywords.count, field: "keywords")
    }
    for (index, keyword) in keywords.enumerated() {
      try Self.check(keyword, "keywords[\(index)]")
      guard !keyword.isEmpty else {
        throw RequestError(.invalidArgument, field: "keywords[\(index)]", "must not be empty")
      }
    }
    (self.title, self.subtitle, self.summary) = (title, subtitle, summary)
    (self.imageKey, self.category, self.keywords) = (imageKey, category, keywords)
  }

  /// The formats, with the names of their fields.
  var formats: [(field: String, format: TextFormat)] {
    [("title", title), ("subtitle", subtitle), ("summary", summary)]
  }

  /// Validates a text that must be visible.
  static func checkShown(_ text: String, _ field: String) throws(RequestError) {
    guard !text.isBlank else { throw RequestError(.invalidArgument, field: field, "must not be blank") }
    try check(text, field)
  }

  /// Validates the size of a text.
  static func check(_ text: String, _ field: String = "") throws(RequestError) {
    guard text.utf8.count <= textSizeMax else {
      throw .over(limit: "text-size-max", maximum: textSizeMax, count: text.utf8.count, field: field)
    }
  }
}

/// The title of a case of an enumeration parameter, such as `Large` for `large`.
public struct EnumCaseTitle: Hashable, Sendable {
  /// The maximum number of titled cases of a parameter.
  public static let countMax = 256

  /// The case, as in the parameter's values.
  public let name: String
  /// The title to show.
  public let title: String

  /// Creates a title.
  ///
  /// - Throws: ``RequestError`` if the name is empty, the title is blank, or one of them is too long.
  public init(name: String, title: String) throws(RequestError) {
    guard !name.isEmpty else { throw RequestError(.invalidArgument, field: "name", "must not be empty") }
    try ActionTexts.checkShown(title, "title")
    do { try IntentValue.enumCase(name).check() } catch { throw error.within("name") }
    (self.name, self.title) = (name, title)
  }
}

/// An app's own representation of something that it donates, in place of that of the intent type (rule X2).
public struct DonationDisplay: Hashable, Sendable {
  /// The title; not blank.
  public let title: String
  /// The second line; may be empty.
  public let subtitle: String
  /// The app's key of an image; may be empty.
  public let imageKey: String

  /// Creates a representation.
  ///
  /// - Throws: ``RequestError`` if the title is blank, or a text is longer than ``ActionTexts/textSizeMax``.
  public init(title: String, subtitle: String = "", imageKey: String = "") throws(RequestError) {
    try ActionTexts.checkShown(title, "title")
    try ActionTexts.check(subtitle, "subtitle")
    try ActionTexts.check(imageKey, "image_key")
    (self.title, self.subtitle, self.imageKey) = (title, subtitle, imageKey)
  }
}
