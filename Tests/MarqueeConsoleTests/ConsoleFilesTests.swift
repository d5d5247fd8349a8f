import Crypto
import Foundation
import MarqueeHTTP
import Testing

@testable import MarqueeConsole

@Suite("Files of the console")
struct ConsoleFilesTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Sources/CMarqueeConsole/Files")

  private static var texts: [(name: String, text: String)] {
    ConsoleFiles.embedded.map { ($0.name, String(decoding: $0.content, as: UTF8.self)) }
  }

  private static func response(_ target: String) -> HTTPResponse? {
    ConsoleFiles.all.response(to: HTTPHead(method: "GET", target: target, authority: "localhost", fields: []))
  }

  @Test("Every file of the folder is embedded as it is")
  func contents() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path).sorted()
    #expect(ConsoleFiles.embedded.map(\.name).sorted() == names)
    for (name, content) in ConsoleFiles.embedded {
      let isSame = try Data(contentsOf: Self.folder.appending(path: name)) == Data(content)
      #expect(isSame, "\(name) has changed since the build")
    }
  }

  /// The files with the strings of each language, of which pages load those of one. The engine's sentences are in
  /// English already.
  private static let languages = [
    ["en.js", "kiosken.js"], ["de.js", "kioskde.js", "limitsde.js", "lintde.js", "sentencesde.js"],
  ]

  /// Returns the names that match a pattern in a file.
  private static func names(_ pattern: Regex<(Substring, Substring)>, in text: String) -> [String] {
    text.matches(of: pattern).map { String($0.1) }
  }

  /// Returns the files that are loaded with `names`: those that pages name, and the modules that these import.
  private static func loaded(with names: [String], _ texts: [String: String]) -> Set<String> {
    var (loaded, waiting) = (Set<String>(), names)
    while let name = waiting.popLast() {
      guard loaded.insert(name).inserted, let text = texts[name] else { continue }
      waiting += Self.names(/from "\.\/([a-z]+\.js)"/, in: text)
      if name.hasSuffix(".html") { waiting += Self.names(/"\/console\/([a-z]+\.[a-z]+)"/, in: text) }
    }
    return loaded
  }

  /// Returns the sets of files that a document can load: in each language, with each module that it loads on demand,
  /// and those that this one loads.
  private static func choices(of document: String, _ texts: [String: String]) -> [Set<String>] {
    let common = loaded(with: [document], texts)
    func onDemand(_ loaded: Set<String>) -> [String] {
      loaded.flatMap { names(/import\("\.\/([a-z]+\.js)"/, in: texts[$0] ?? "") }
    }
    let later = onDemand(common)
    let pages = later.filter { name in !languages.contains { $0.contains(name) } }
    return languages.flatMap { files in
      let strings = files.filter(later.contains)
      let others = Set(languages.joined()).subtracting(files)
      return (pages.isEmpty ? [[]] : pages.map { [$0] }).map { page in
        let own = onDemand(loaded(with: page, texts).subtracting(common)).filter { !others.contains($0) }
        return loaded(with: [document] + strings + page + own, texts)
      }
    }
  }

  @Test("A page loads at most 200 KB in any language", arguments: ["index.html", "kiosk.html"])
  func sizes(document: String) throws {
    let texts = Dictionary(uniqueKeysWithValues: Self.texts.map { ($0.name, $0.text) })
    // A visitor reads one language and one page at first, so the largest of each counts.
    let sizes = Self.choices(of: document, texts).map { ($0.reduce(0) { $0 + (texts[$1]?.utf8.count ?? 0) }, $0) }
    let (size, files) = try #require(sizes.max { $0.0 < $1.0 })
    #expect(files.count > 10 && size <= 200_000, "\(files.count) files, \(size) bytes")
    #expect(sizes.count == (document == "index.html" ? 20 : 2))
  }

  @Test(
    "Every page, script and style sheet is served with its type",
    arguments: [
      ("/", "text/html; charset=utf-8"), ("/stack?device=a", "text/html; charset=utf-8"),
      ("/kiosk?device=a", "text/html; charset=utf-8"),
      ("/console/app.js", "text/javascript; charset=utf-8"), ("/console/tokens.css", "text/css; charset=utf-8"),
      ("/console/icon.svg", "image/svg+xml"),
    ])
  func types(target: String, type: String) {
    let response = Self.response(target)
    #expect(response?.status == 200 && response?.fields.first { $0.name == "content-type" }?.value == type)
  }

  @Test("Unknown paths have a page")
  func missing() {
    let response = Self.response("/console/none.js")
    #expect(response?.status == 404 && String(decoding: response?.body ?? [], as: UTF8.self).contains("<h1>"))
  }

  @Test("The policy for browsers allows no inline script or style, no other server, and no frame")
  func policy() throws {
    for target in ["/", "/console/app.js", "/none"] {
      let fields = try #require(Self.response(target)).fields
      func value(_ name: String) -> String? { fields.first { $0.name == name }?.value }
      let policy = try #require(value("content-security-policy"))
      #expect(!policy.contains("unsafe") && !policy.contains("http") && !policy.contains("*"))
      for part in [
        "default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'", "frame-src 'self'",
        "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'", "require-trusted-types-for 'script'",
      ] {
        #expect(policy.components(separatedBy: "; ").contains(part), "\(part)")
      }
      #expect(value("x-content-type-options") == "nosniff" && value("referrer-policy") == "no-referrer")
      #expect(value("cross-origin-opener-policy") == "same-origin")
      #expect(value("set-cookie") == nil)
    }
  }

  @Test("Markup of apps is in a page without an origin, connections and rights, which only the console embeds")
  func frame() throws {
    let response = try #require(Self.response("/console/frame.html"))
    let policy = try #require(response.fields.first { $0.name == "content-security-policy" }?.value)
    let parts = policy.components(separatedBy: "; ")
    for part in ["sandbox allow-scripts", "default-src 'none'", "img-src data:", "form-action 'none'"] {
      #expect(parts.contains(part), "\(part)")
    }
    #expect(parts.contains("frame-ancestors 'self'") && !policy.contains("connect-src"))
    let page = String(decoding: response.body, as: UTF8.self)
    let script = try #require(page.firstMatch(of: /<script>([^<]*)<\/script>/)).1
    let hash = Data(SHA256.hash(data: Data(script.utf8))).base64EncodedString()
    #expect(parts.contains("script-src 'sha256-\(hash)'"), "\(hash)")
  }

  @Test("Scripts make no markup from text, and call no other server")
  func scripts() {
    let banned = [
      "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "Function(", "setInterval", "cookie",
      "localStorage", "EventSource", "WebSocket", "XMLHttpRequest", "http://", "https://", "//cdn",
    ]
    for (name, text) in Self.texts where name.hasSuffix(".js") {
      // A comment may say that there are no cookies.
      let code = text.split(separator: "\n").filter { !$0.hasPrefix("//") }.joined(separator: "\n")
      // Only the token of a kiosk is kept after its tab is closed.
      for word in banned where name != "session.js" || word != "localStorage" {
        #expect(!code.contains(word), "\(name): \(word)")
      }
    }
    for (name, text) in Self.texts where name.hasSuffix(".html") {
      #expect(!text.contains("<style") && !text.contains("style=") && !text.contains("://"), "\(name)")
      #expect(name == "frame.html" || !text.contains("<script>"), "\(name)")
      #expect(text.firstRange(of: /\son[a-z]+=/) == nil, "\(name)")
    }
  }

  @Test("Every module that is imported, and every file that a page names, exists")
  func references() {
    let names = Set(Self.texts.map(\.name))
    for (name, text) in Self.texts {
      for match in text.matches(of: /(?:from |import\()"\.\/([a-z]+\.js)"/) {
        #expect(names.contains(String(match.1)), "\(name) imports \(match.1)")
      }
      for match in text.matches(of: /"\/console\/([a-z]+\.[a-z]+)"/) {
        #expect(names.contains(String(match.1)), "\(name) names \(match.1)")
      }
    }
  }

  @Test(
    "Every language has the same strings, and a page uses those that it loads",
    arguments: ["index.html", "kiosk.html"])
  func strings(document: String) throws {
    let texts = Dictionary(uniqueKeysWithValues: Self.texts.map { ($0.name, $0.text) })
    var interface: Set<String>?
    for loaded in Self.choices(of: document, texts) {
      let own = loaded.intersection(Self.languages.joined())
      let known = Set(own.flatMap { Self.names(/(?m)^  "([^"]+)":/, in: texts[$0] ?? "") })
      let strings = known.filter { !$0.hasPrefix("say.") }
      #expect(strings.count > 150 && strings == interface ?? strings, "\(own)")
      interface = strings
      for name in loaded.subtracting(own) where name.hasSuffix(".js") {
        let text = try #require(texts[name])
        for key in Self.names(/\bt\("([A-Za-z_.]+)"/, in: text) { #expect(known.contains(key), "\(name): \(key)") }
        // Keys are also arguments and elements of lists, perhaps with the class of a column after them.
        let groups = Set(known.map { $0.prefix { $0 != "." } })
        for key in Self.names(/"([a-z]+\.[A-Za-z_.]+)[ "]/, in: text) where groups.contains(key.prefix { $0 != "." }) {
          #expect(known.contains(key), "\(name): \(key)")
        }
      }
    }
  }

  @Test("Files are as short as others: at most 600 lines of at most 120 characters, except pictures")
  func shape() {
    for (name, text) in Self.texts where !name.hasSuffix(".svg") {
      let lines = text.components(separatedBy: "\n")
      #expect(lines.count <= 600, "\(name) has \(lines.count) lines")
      for (number, line) in lines.enumerated() where line.count > 120 {
        Issue.record("\(name):\(number + 1) has \(line.count) characters")
      }
    }
  }
}
