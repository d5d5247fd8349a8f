import CMarqueeConsole
public import MarqueeHTTP

/// The console: pages for browsers that show the engine's state and decisions, by calls of the Connect protocol only.
public enum ConsoleFiles {
  /// The paths of the pages, which are one file: its script shows the page of the path.
  private static let pages = ["/", "/stack", "/why", "/decisions", "/widgets", "/server"]

  /// The fields with which browsers run only scripts of the server, and send the pages' content nowhere else.
  private static let fields = [
    HTTPHead.Field(
      "content-security-policy",
      """
      default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; \
      base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; \
      trusted-types 'none'
      """),
    HTTPHead.Field("x-content-type-options", "nosniff"),
    HTTPHead.Field("referrer-policy", "no-referrer"),
    HTTPHead.Field("cross-origin-opener-policy", "same-origin"),
    HTTPHead.Field("cross-origin-resource-policy", "same-origin"),
    HTTPHead.Field("permissions-policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()"),
  ]

  private static let contentTypes = [
    "css": "text/css; charset=utf-8", "html": "text/html; charset=utf-8", "js": "text/javascript; charset=utf-8",
    "json": "application/json", "svg": "image/svg+xml",
  ]

  /// The files, with their policy for browsers.
  public static let all: StaticFiles = {
    let files = embedded.map { name, content in
      StaticFiles.File(
        paths: name == "index.html" ? pages : ["/console/\(name)"], contentType: contentType(of: name),
        content: content)
    }
    guard let missing = files.first(where: { $0.paths == ["/console/missing.html"] }) else {
      preconditionFailure("missing.html is not embedded")
    }
    return StaticFiles(files.filter { $0.paths != missing.paths }, missing: missing, fields: fields)
  }()

  /// The names and contents of the files.
  static var embedded: [(name: String, content: [UInt8])] {
    var count = 0
    let start = marquee_console_files(&count)
    return UnsafeBufferPointer(start: start, count: count).map { file in
      (String(cString: file.name), Array(UnsafeBufferPointer(start: file.content, count: file.size)))
    }
  }

  private static func contentType(of name: String) -> String {
    guard let type = name.split(separator: ".").last.flatMap({ contentTypes[String($0)] }) else {
      preconditionFailure("\(name) has no content type")
    }
    return type
  }
}
