/// A text with references to the parameters of an intent, such as `Order ${soup} at ${location}` (rule X1).
///
/// `${name}` stands for the parameter's value, and `$$` for a dollar sign. Any other dollar sign is literal.
public struct TextFormat: Hashable, Sendable {
  /// The maximum number of references.
  public static let referenceCountMax = 16

  /// No text.
  public static let empty = TextFormat(checked: "")

  /// A part of a format.
  enum Part: Hashable, Sendable {
    case text(String)
    case parameter(IntentParameter.Name)
  }

  /// The format as the app wrote it.
  public let text: String

  private init(checked text: String) { self.text = text }

  /// Creates a format.
  ///
  /// - Throws: ``RequestError`` if the text is longer than ``ActionTexts/textSizeMax``, a reference is not closed or
  ///   not a valid name, or there are more than ``referenceCountMax`` references.
  public init(_ text: String) throws(RequestError) {
    try ActionTexts.check(text)
    let references = try Self.parts(of: text).count { if case .parameter = $0 { true } else { false } }
    guard references <= Self.referenceCountMax else {
      throw .over(limit: "text-reference-count-max", maximum: Self.referenceCountMax, count: references)
    }
    self.text = text
  }

  /// Returns a literal text as a format, without references.
  public static func escaped(_ text: String) -> String {
    var escaped = ""
    for character in text { escaped += character == "$" ? "$$" : "\(character)" }
    return escaped
  }

  /// Whether a dollar sign neither begins a reference nor is doubled, so that it is literal.
  public var hasSingleDollar: Bool {
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "$") else { continue }
      guard let next = rest.popFirst(), [UInt8(ascii: "$"), UInt8(ascii: "{")].contains(next) else { return true }
    }
    return false
  }

  /// Whether there is no text.
  public var isEmpty: Bool { text.isEmpty }

  /// The names of the parameters, in the order of their references.
  public var references: [IntentParameter.Name] {
    parts.compactMap { if case .parameter(let name) = $0 { name } else { nil } }
  }

  /// The text with the parameters' names in place of their values: `Order (soup) at (location)`.
  public var outline: String {
    parts.map { part in
      switch part {
      case .text(let text): text
      case .parameter(let name): "(\(name))"
      }
    }.joined()
  }

  var parts: [Part] {
    do throws(RequestError) {
      return try Self.parts(of: text)
    } catch {
      preconditionFailure("validated format is invalid: \(error)")
    }
  }

  private static func parts(of text: String) throws(RequestError) -> [Part] {
    // UTF-8: the delimiters are ASCII, and a character can combine them with following marks.
    var (parts, literal, rest) = ([Part](), [UInt8](), text.utf8[...])
    func appendLiteral() {
      if !literal.isEmpty { parts.append(.text(String(decoding: literal, as: UTF8.self))) }
      literal = []
    }
    while let byte = rest.popFirst() {
      switch (byte, rest.first) {
      case (UInt8(ascii: "$"), UInt8(ascii: "$")):
        rest.removeFirst()
        literal.append(byte)
      case (UInt8(ascii: "$"), UInt8(ascii: "{")):
        guard let end = rest.firstIndex(of: UInt8(ascii: "}")) else {
          throw RequestError(.invalidArgument, "a parameter reference is not closed")
        }
        let name = String(decoding: rest[..<end].dropFirst(), as: UTF8.self)
        appendLiteral()
        parts.append(.parameter(try IntentParameter.Name(name)))
        rest = rest[end...].dropFirst()
      default: literal.append(byte)
      }
    }
    appendLiteral()
    return parts
  }
}
