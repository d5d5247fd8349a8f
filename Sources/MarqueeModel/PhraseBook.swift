/// An intent of an app with the phrases by which the user can ask for it.
public struct AppShortcutDescriptor: Hashable, Sendable {
  /// The maximum number of phrases.
  public static let phraseCountMax = 100
  /// The maximum encoded size of the intent, in bytes. With the value of a parameter, it fits a request to perform it.
  public static let intentSizeMax = 16_384

  /// The intent, with the values of parameters that are the same for all phrases.
  public let intent: Intent
  /// The phrases, at least one.
  public let phrases: [PhraseTemplate]
  /// The title to show; may be empty.
  public let shortTitle: String
  /// The name of the image to show; may be empty.
  public let imageName: String

  /// Creates an App Shortcut.
  ///
  /// - Throws: ``RequestError`` if there is no phrase or more than ``phraseCountMax``, if a text is too long, or if the
  ///   intent exceeds ``intentSizeMax``.
  public init(
    intent: Intent, phrases: [PhraseTemplate], shortTitle: String = "", imageName: String = ""
  ) throws(RequestError) {
    guard !phrases.isEmpty else {
      throw RequestError(.invalidArgument, field: "phrases", "at least one phrase is required")
    }
    guard phrases.count <= Self.phraseCountMax else {
      throw .over(
        limit: "app-shortcut-phrase-count-max", maximum: Self.phraseCountMax, count: phrases.count, field: "phrases")
    }
    let intentSize = intent.encoded.count
    guard intentSize <= Self.intentSizeMax else {
      throw .over(
        limit: "app-shortcut-intent-size-max", maximum: Self.intentSizeMax, count: intentSize, field: "intent")
    }
    for (field, text) in [("short_title", shortTitle), ("image_name", imageName)] {
      guard text.utf8.count <= IntentValue.stringSizeMax else {
        throw .over(
          limit: "string-size-max", maximum: IntentValue.stringSizeMax, count: text.utf8.count, field: field)
      }
    }
    self.intent = intent
    self.phrases = phrases
    self.shortTitle = shortTitle
    self.imageName = imageName
  }

  /// The encoded size of the intent and the size of the texts, in bytes.
  fileprivate var size: Int {
    phrases.reduce(intent.encoded.count + shortTitle.utf8.count + imageName.utf8.count) { $0 + $1.size }
  }
}

/// The App Shortcuts of an app, with the name that stands for the app in their phrases.
public struct PhraseBook: Hashable, Sendable {
  /// The maximum number of App Shortcuts of an app.
  public static let shortcutCountMax = 10
  /// The maximum total size of an app's App Shortcuts, in bytes.
  public static let sizeMax = 65_536

  /// No App Shortcuts.
  public static let empty = PhraseBook()

  /// The app's name in phrases; may be empty if there are no shortcuts. Several apps can have the same name.
  public let applicationName: String
  /// The App Shortcuts, in the app's order.
  public let shortcuts: [AppShortcutDescriptor]

  private init() { (applicationName, shortcuts) = ("", []) }

  /// Creates a phrase book.
  ///
  /// - Throws: ``RequestError`` if there are more than ``shortcutCountMax`` shortcuts, they exceed ``sizeMax``, or the
  ///   name is not a valid identifier or consists of punctuation and white space.
  public init(applicationName: String, shortcuts: [AppShortcutDescriptor]) throws(RequestError) {
    guard shortcuts.count <= Self.shortcutCountMax else {
      throw .over(
        limit: "app-shortcut-count-max", maximum: Self.shortcutCountMax, count: shortcuts.count,
        field: "app_shortcuts")
    }
    let size = shortcuts.reduce(0) { $0 + $1.size }
    guard size <= Self.sizeMax else {
      throw .over(limit: "app-shortcut-size-max", maximum: Self.sizeMax, count: size, field: "app_shortcuts")
    }
    if !shortcuts.isEmpty || !applicationName.isEmpty {
      do { try AppID.checkName(applicationName) } catch { throw error.within("application_name") }
      guard !SpokenText.units(of: applicationName).trimmed.isEmpty else {
        throw RequestError(
          .invalidArgument, field: "application_name", "must contain a letter, digit or symbol")
      }
    }
    self.applicationName = applicationName
    self.shortcuts = shortcuts
  }
}
