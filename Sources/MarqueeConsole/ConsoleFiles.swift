import CMarqueeConsole
public import MarqueeHTTP

/// The console: pages for browsers that show the engine's state and decisions, by calls of the Connect protocol only.
public enum ConsoleFiles {
  /// The paths of the pages. Those of the console are one file: its script shows the page of the path.
  private static let paths = [
    "index.html": ["/", "/stack", "/day", "/why", "/decisions", "/widgets", "/habits", "/try", "/gallery", "/server"],
    "kiosk.html": ["/kiosk"],
  ]

  /// The fields with which browsers run only scripts of the server, and send the pages' content nowhere else.
  private static let fields = [
    HTTPHead.Field(
      "content-security-policy",
      """
      default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; \
      frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
      require-trusted-types-for 'script'; trusted-types 'none'
      """),
    HTTPHead.Field("x-content-type-options", "nosniff"),
    HTTPHead.Field("referrer-policy", "no-referrer"),
    HTTPHead.Field("cross-origin-opener-policy", "same-origin"),
    HTTPHead.Field("cross-origin-resource-policy", "same-origin"),
    HTTPHead.Field("permissions-policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()"),
  ]

  /// The SHA-256 hash of the script in frame.html, in base64.
  static let frameScriptHash = "S2/RQEBqGL+vSbwLn2fd5DkPY1XHKb60dITRBCkzWF8="

  /// The fields of the page that shows markup of apps.
  ///
  /// The page has an origin of its own, and neither access to the page around it nor connections. Styles in the markup
  /// apply to the page only. Its script is part of the page, since a page without an origin may not request files.
  private static let frameFields = [
    HTTPHead.Field(
      "content-security-policy",
      """
      sandbox allow-scripts; default-src 'none'; script-src 'sha256-\(frameScriptHash)'; \
      style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'
      """),
    HTTPHead.Field("x-content-type-options", "nosniff"),
    HTTPHead.Field("referrer-policy", "no-referrer"),
    HTTPHead.Field("cross-origin-resource-policy", "same-origin"),
    HTTPHead.Field(
      "permissions-policy", "camera=(), geolocation=(), microphone=(), payment=(), screen-wake-lock=(), usb=()"),
  ]

  private static let contentTypes = [
    "css": "text/css; charset=utf-8", "html": "text/html; charset=utf-8", "js": "text/javascript; charset=utf-8",
    "json": "application/json", "svg": "image/svg+xml",
  ]

  /// The files, with their policy for browsers.
  public static let all: StaticFiles = {
    let files = embedded.map { name, content in
      StaticFiles.File(
        paths: paths[name] ?? ["/console/\(name)"], contentType: contentType(of: name), content: content,
        fields: name == "frame.html" ? frameFields : nil)
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
