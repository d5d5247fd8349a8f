import MarqueeRPC

/// The header fields that describe the connection, the body, the protocol or the browser's policy rather than a call.
/// They are not metadata, in any protocol.
enum ReservedField {
  /// Whether a field is not metadata, in lower case.
  ///
  /// There are no cookies: they would authenticate the requests of any page.
  static func contains(_ name: UnsafeRawBufferPointer) -> Bool {
    isOfConnection(name) || name.equals("trailer") || name.equals("expect") || name.equals("cookie")
      || name.equals("http2-settings") || name.equals("accept") || name.equals("accept-encoding")
      || name.equals("accept-language") || name.equals("proxy-authorization") || name.starts(with: "content-")
      || name.starts(with: "connect-") || name.starts(with: "grpc-")
  }

  private static func isOfConnection(_ name: UnsafeRawBufferPointer) -> Bool {
    name.equals("te") || name.equals("host") || name.equals("upgrade") || name.equals("connection")
      || name.equals("keep-alive") || name.equals("proxy-connection") || name.equals("transfer-encoding")
  }

  /// Whether a field is not metadata, in lower case.
  static func contains(_ name: String) -> Bool {
    var name = name
    return name.withUTF8 { contains(UnsafeRawBufferPointer($0)) }
  }

  /// Whether a handler may not set a field of a response: it is not metadata, or has a meaning for a client of HTTP.
  static func isInResponse(_ name: String) -> Bool {
    switch name {
    case "set-cookie", "date", "vary", "location", "retry-after": true
    default: contains(name) || name.hasPrefix("access-control-") || name.hasPrefix("trailer-")
    }
  }
}

extension UnsafeRawBufferPointer {
  /// Whether the bytes are those of a text.
  func equals(_ text: StaticString) -> Bool {
    count == text.utf8CodeUnitCount && equals(UnsafeRawBufferPointer(start: text.utf8Start, count: count))
  }

  /// Whether the bytes begin with those of a text.
  func starts(with text: StaticString) -> Bool {
    count >= text.utf8CodeUnitCount
      && UnsafeRawBufferPointer(rebasing: self[..<text.utf8CodeUnitCount]).equals(text)
  }
}
