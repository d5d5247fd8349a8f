public import MarqueeModel

/// The key of a stream, with which a unary call names it: of the queries of an app, or of an intent that is being
/// performed.
///
/// A server chooses keys that cannot be guessed, and accepts one only from the principal that opened the stream, while
/// the stream is open.
public struct StreamKey: Identifier {
  /// The text.
  public let text: String

  /// Creates a key from its text, which can be any identifier.
  public init(_ text: String) throws(RequestError) {
    try Self.checkName(text)
    self.text = text
  }
}
