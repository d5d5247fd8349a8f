/// The head of a request in any version of HTTP.
public struct HTTPHead: Hashable, Sendable {
  /// A header field.
  public struct Field: Hashable, Sendable {
    /// The name, in lower case.
    public let name: String
    /// The value, without white space around it.
    public let value: String

    /// Creates a field; its name is converted to lower case, and white space around the value is removed.
    public init(_ name: String, _ value: String) {
      let isLowerCase = name.utf8.allSatisfy { $0 < 0x80 && !(UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
      self.name = isLowerCase ? name : name.lowercased()
      let isTrimmed = !Self.isSpace(value.utf8.first) && !Self.isSpace(value.utf8.last)
      self.value = isTrimmed ? value : String(Self.trimmed(value[...]))
    }

    private static func isSpace(_ byte: UInt8?) -> Bool { byte == 0x20 || byte == 0x09 }

    static func trimmed(_ text: Substring) -> Substring {
      var text = text.drop { $0 == " " || $0 == "\t" }
      while let last = text.last, last == " " || last == "\t" { text.removeLast() }
      return text
    }
  }

  /// The method, such as `POST`.
  public var method: String
  /// The target in origin form: an absolute path, and perhaps a query.
  public var target: String
  /// The host and perhaps a port that the request is for; `nil` if the request names none, or more than one.
  public var authority: String?
  /// The fields in the order of the request, without `host`.
  public var fields: [Field]

  /// Creates a head.
  public init(method: String, target: String, authority: String?, fields: [Field]) {
    self.method = method
    self.target = target
    self.authority = authority
    self.fields = fields
  }

  /// The values of all fields with a name in lower case.
  public func values(of name: String) -> [String] {
    fields.filter { $0.name == name }.map(\.value)
  }

  /// The value of the first field with a name in lower case; `nil` without one.
  public func value(of name: String) -> String? {
    fields.first { $0.name == name }?.value
  }

  /// Whether there is a field with a name in lower case.
  public func has(_ name: String) -> Bool {
    fields.contains { $0.name == name }
  }

  /// Whether a browser sent the request, as the fields say that scripts cannot set.
  ///
  /// A browser adds its user's network position and certificates to the requests of any page.
  public var isFromBrowser: Bool { has("origin") || has("sec-fetch-site") }
}
