public import Foundation
import MarqueeModel

/// The texts of an app in its languages, by table and key.
///
/// A text is looked up in the device's language, then in the more general ones (`de-AT`, then `de`), then in the
/// development language, in which the keys are written; a key without a text is its own text.
///
/// ```swift
/// struct CafeWidgets: WidgetBundle {
///   static var localizations: Localizations {
///     get throws { try Localizations(directory: URL(filePath: "/usr/share/cafe")) }
///   }
///   var body: some Widget { Orders() }
/// }
/// ```
public struct Localizations: Sendable {
  /// A file that cannot be read.
  public struct InvalidFile: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file's path in its directory, the line if it is known, and the reason.
    public let description: String
  }

  /// No localizations: every key is its own text.
  public static let none = Localizations(development: .english, [:])

  /// The maximum size of a file, in bytes.
  public static let fileSizeMax = 4 << 20

  /// The name of the table of a resource that names none.
  static let defaultTable = "Localizable"
  /// The name of the table of phrases and short titles, whose missing keys are looked up in ``defaultTable``.
  static let phraseTable = "AppShortcuts"

  let development: LanguageTag
  /// The texts by language, table and key.
  private var tables: [LanguageTag: [String: [String: String]]]

  private init(development: LanguageTag, _ tables: [LanguageTag: [String: [String: String]]]) {
    (self.development, self.tables) = (development, tables)
  }

  /// Creates localizations from texts in code.
  ///
  /// - Parameters:
  ///   - texts: The texts by language, a BCP 47 language tag, and key.
  ///   - table: The table that contains them.
  ///   - developmentLanguage: The language of the keys.
  /// - Throws: `RequestError` if a language tag is invalid.
  public init(
    _ texts: [String: [String: String]], table: String = "Localizable", developmentLanguage: String = "en"
  ) throws {
    self.init(development: try Self.language(developmentLanguage, "developmentLanguage"), [:])
    for (language, texts) in texts { try add(texts, language: language, table: table) }
  }

  /// Creates localizations from files in a directory: `Localizable.strings`, `AppShortcuts.strings` and other tables in
  /// directories named for languages, such as `de.lproj`, and string catalogs (`.xcstrings`) beside those. A
  /// `Base.lproj` directory contains the development language.
  ///
  /// - Parameters:
  ///   - directory: The directory, such as that of an app's resources.
  ///   - developmentLanguage: The language of the keys.
  /// - Throws: ``InvalidFile`` with the file and the line if a file is malformed or larger than ``fileSizeMax``; an
  ///   error of the file system; `RequestError` if a language tag is invalid.
  public init(directory: URL, developmentLanguage: String = "en") throws {
    self.init(development: try Self.language(developmentLanguage, "developmentLanguage"), [:])
    for url in try Self.contents(of: directory) {
      switch url.pathExtension {
      case "lproj":
        let name = url.deletingPathExtension().lastPathComponent
        let language = name == "Base" ? developmentLanguage : name
        for file in try Self.contents(of: url) where file.pathExtension == "strings" {
          let texts = try Self.texts(in: file, "\(url.lastPathComponent)/\(file.lastPathComponent)")
          try add(texts, language: language, table: file.deletingPathExtension().lastPathComponent)
        }
      case "xcstrings":
        for (language, texts) in try Self.catalog(url).tables {
          try add(texts, language: language, table: url.deletingPathExtension().lastPathComponent)
        }
      default: break
      }
    }
  }

  /// The languages that have texts, in order of their tags.
  var languages: [LanguageTag] { tables.keys.sorted() }

  /// Returns the texts of a device's language: those of the language, of more general ones and of the development
  /// language, in this order.
  func texts(for language: LanguageTag?) -> [[String: [String: String]]] {
    var seen: Set<LanguageTag> = []
    let order = (language?.prefixes ?? []) + development.prefixes
    return order.filter { seen.insert($0).inserted }.compactMap { tables[$0] }
  }

  private mutating func add(_ texts: [String: String], language: String, table: String) throws {
    // Directories of older projects are named as locales: de_AT.
    let tag = try Self.language(String(language.map { $0 == "_" ? "-" : $0 }), "localizations")
    tables[tag, default: [:]][table, default: [:]].merge(texts) { $1 }
  }

  private static func language(_ text: String, _ field: String) throws(RequestError) -> LanguageTag {
    do { return try LanguageTag(text) } catch {
      throw RequestError(error.code, field: field, "\"\(text.visible(sizeMax: 64))\": \(error.reason)")
    }
  }

  /// Returns the entries of a directory in order of their names.
  private static func contents(of directory: URL) throws -> [URL] {
    try FileManager.default.contentsOfDirectory(at: directory, includingPropertiesForKeys: nil)
      .sorted { $0.lastPathComponent < $1.lastPathComponent }
  }

  private static func texts(in file: URL, _ name: String) throws -> [String: String] {
    let data = try data(of: file, name)
    let isUTF16 = data.starts(with: [0xFF, 0xFE]) || data.starts(with: [0xFE, 0xFF])
    let content = data.starts(with: [0xEF, 0xBB, 0xBF]) ? data.dropFirst(3) : data
    guard let text = String(data: content, encoding: isUTF16 ? .utf16 : .utf8) else {
      throw InvalidFile(description: "\(name): not in UTF-8 or UTF-16")
    }
    do { return try StringsFile.table(of: text) } catch {
      throw InvalidFile(description: "\(name):\(error.line): \(error.reason)")
    }
  }

  private static func catalog(_ file: URL) throws -> StringCatalog {
    let data = try data(of: file, file.lastPathComponent)
    do { return try JSONDecoder().decode(StringCatalog.self, from: data) } catch {
      throw InvalidFile(description: "\(file.lastPathComponent): not a string catalog: \(quoted(error))")
    }
  }

  private static func data(of file: URL, _ name: String) throws -> Data {
    let handle = try FileHandle(forReadingFrom: file)
    defer { try? handle.close() }  // Nothing was written.
    let data = try handle.read(upToCount: fileSizeMax + 1) ?? Data()
    guard data.count <= fileSizeMax else {
      throw InvalidFile(description: "\(name): exceeds strings-file-size-max (\(fileSizeMax))")
    }
    return data
  }
}
