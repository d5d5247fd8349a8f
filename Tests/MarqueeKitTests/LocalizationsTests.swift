import Foundation
import MarqueeKit
import MarqueeModel
import MarqueeTestSupport
import Testing

/// The lookup and formatting of texts (rule X3), without a server.
@Suite struct LocalizationsTests {
  private static let texts = [
    "en": ["greeting": "Hello"],
    "de": [
      "greeting": "Hallo", "%lld of %@": "%2$@: %1$lld", "%lf": "%.2f", "%@": "<%@>", "100%": "Hundert",
      "%lld%%": "%lld Prozent", "odd %lld": "%s %5$@ %@ %", "only": "nur",
    ],
    "de-AT": ["greeting": "Servus"],
  ]

  /// Returns a text in a language.
  private func text(
    _ resource: LocalizedStringResource, _ language: String, _ localizations: Localizations? = nil
  ) throws -> String {
    let connection = try AppConnection(environment: [
      "MARQUEE_DEVICE": "phone", "MARQUEE_APP": Weather.app, "MARQUEE_SERVER": "unix:/tmp/nobody.sock",
    ])
    connection.use(try localizations ?? Localizations(Self.texts))
    var resource = resource
    resource.locale = Locale(identifier: language)
    return connection.run { String(localized: resource) }
  }

  @Test(
    "X3 A text is in the language, or else in a more general one, the development language, or its key",
    arguments: [
      ("de-AT", "Servus"), ("de-CH", "Hallo"), ("de", "Hallo"), ("de_AT", "Servus"), ("en-US", "Hello"),
      ("fr", "Hello"),
    ])
  func languages(language: String, greeting: String) throws {
    #expect(try text("greeting", language) == greeting)
    #expect(try text("only", language) == (language.hasPrefix("de") ? "nur" : "only"))
    #expect(try text("missing", language) == "missing")
    #expect(try text(LocalizedStringResource("missing", defaultValue: "Default"), language) == "Default")
  }

  @Test("X3 Interpolated values replace the placeholders of a key's text, which may reorder them")
  func formats() throws {
    let (count, name) = (3, "Anna")
    #expect(try text("\(count) of \(name)", "de") == "Anna: 3")
    #expect(try text("\(count) of \(name)", "fr") == "3 of Anna")
    #expect(try text("\(1.5)", "de") == "1,50" && text("\(1.5)", "en") == "1.500000")
    #expect(try text("\(2.25, specifier: "%.1f") km, \(UInt8(7))", "en") == "2.2 km, 7")
    #expect(try text("\(count, specifier: "%03lld")", "en") == "003")
    #expect(try text("100%", "de") == "Hundert" && text("100%", "fr") == "100%")
    #expect(try text("\(50)%", "de") == "50 Prozent" && text("\(50)%", "fr") == "50%")
    let greeting: LocalizedStringResource = "greeting"
    #expect(try text("\(greeting)", "de") == "<Hallo>")
    #expect(try text(LocalizedStringResource("%lld of %@", defaultValue: "\(count) \(name)"), "fr") == "3 Anna")
    #expect(try text(LocalizedStringResource("%lld of %@", defaultValue: "\(count) \(name)"), "de") == "Anna: 3")
  }

  @Test("X3 A translation with placeholders that do not fit the values is shown as far as possible")
  func oddFormats() throws { #expect(try text("odd \(1)", "de") == "%s %5$@ 1 %") }

  @Test("X3 A .strings file has comments, escapes, words without quotation marks, and UTF-8 or UTF-16")
  func files() throws {
    let directory = try TemporaryDirectory()
    let file = """
      /* Tea;
         "not" = "this"; */
      "a\\"b" = "Zeile\\n\\"zwei\\" \\U00e4\\101 \\UD83D\\UDE00";  // and a comment
      word.key = 'einfach' ;
      "alone";
      "twice" = "one"; "twice" = "two";
      """
    try write(file, "de.lproj/Localizable.strings", in: directory)
    try write("greeting = Moin;", "de_AT.lproj/Localizable.strings", in: directory, .utf16)
    try write("\u{FEFF}base = Base;", "Base.lproj/Localizable.strings", in: directory)
    try write("other = Andere;", "de.lproj/Table.strings", in: directory)
    try write("ignored", "de.lproj/readme.txt", in: directory)
    let localizations = try Localizations(directory: URL(filePath: directory.path))
    func find(_ resource: LocalizedStringResource) throws -> String { try text(resource, "de-AT", localizations) }
    #expect(try find("a\"b") == "Zeile\n\"zwei\" äA 😀")
    #expect(try find("word.key") == "einfach" && find("alone") == "alone" && find("twice") == "two")
    #expect(try find("greeting") == "Moin" && find("base") == "Base" && find("other") == "other")
    #expect(try find(LocalizedStringResource("other", table: "Table")) == "Andere")
  }

  @Test("X3 A string catalog has the texts of all languages; of plural variations the general one is used")
  func catalogs() throws {
    let directory = try TemporaryDirectory()
    let catalog = """
      {"sourceLanguage": "en", "version": "1.0", "strings": {"": {}, "tea": {"extractionState": "manual",
        "localizations": {"de": {"stringUnit": {"state": "translated", "value": "Tee"}}}},
        "%lld cups": {"localizations": {"de": {"variations": {"plural": {
          "one": {"stringUnit": {"state": "new", "value": "%lld Tasse"}},
          "other": {"stringUnit": {"state": "new", "value": "%lld Tassen"}}}}}}}}}
      """
    try write(catalog, "Localizable.xcstrings", in: directory)
    let localizations = try Localizations(directory: URL(filePath: directory.path))
    #expect(try text("tea", "de", localizations) == "Tee")
    #expect(try text("\(3) cups", "de", localizations) == "3 Tassen")
  }

  @Test(
    "X3 A malformed file is an error that names the file, the line and the reason",
    arguments: [
      ("\"a\" = \"b\";\n\"c\" = \"d\"\n\"e\" = \"f\";", "3: expected ';' after the text of \"c\""),
      ("\"a\" \"b\";", "1: expected ';' after the text of \"a\""),
      ("\n\n\"a\" = \"b;\n\n", "3: the string is not closed"),
      ("/* a\r\n b", "1: the comment is not closed"), ("\r\n\r\n= b;", "3: expected a key"),
      ("a = ;", "1: expected a text"),
      ("a = \"\\Uxyz\";", "1: invalid escape sequence"), ("\"a\\", "1: the string is not closed"),
    ])
  func malformed(file: String, reason: String) throws {
    let directory = try TemporaryDirectory()
    try write(file, "de.lproj/Localizable.strings", in: directory)
    let error = #expect(throws: Localizations.InvalidFile.self) {
      try Localizations(directory: URL(filePath: directory.path))
    }
    #expect(error?.description == "de.lproj/Localizable.strings:\(reason)")
  }

  @Test("X3 A file that is too large, not text or not a catalog, and a directory without a language, are rejected")
  func rejected() throws {
    func failure(_ name: String, _ data: Data) throws -> String {
      let directory = try TemporaryDirectory()
      let file = URL(filePath: directory.file(name))
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try data.write(to: file)
      let error = #expect(throws: (any Error).self) { try Localizations(directory: URL(filePath: directory.path)) }
      return error.map { "\($0)" } ?? ""
    }
    let large = Data(repeating: 0x20, count: Localizations.fileSizeMax + 1)
    #expect(try failure("de.lproj/a.strings", large) == "de.lproj/a.strings: exceeds strings-file-size-max (4194304)")
    #expect(try failure("de.lproj/a.strings", Data([0xC3, 0x28])) == "de.lproj/a.strings: not in UTF-8 or UTF-16")
    #expect(try failure("a.xcstrings", Data("{".utf8)).hasPrefix("a.xcstrings: not a string catalog: "))
    let unnamed = try failure("x.lproj/a.strings", Data())
    #expect(unnamed.contains("localizations: \"x\": not a BCP 47 language tag"), "\(unnamed)")
    let error = #expect(throws: RequestError.self) { try Localizations([:], developmentLanguage: "english!") }
    #expect(error?.field == "developmentLanguage")
  }

  private func write(
    _ text: String, _ name: String, in directory: TemporaryDirectory, _ encoding: String.Encoding = .utf8
  ) throws {
    let file = URL(filePath: directory.file(name))
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try #require(text.data(using: encoding)).write(to: file)
  }
}
