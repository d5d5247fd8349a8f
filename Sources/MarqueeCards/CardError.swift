/// The reason why a text is not a card. It contains names of the format and numbers, never values of the card.
public struct CardError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The path of the invalid value, such as `body[2].columns[0].width`; empty for the card as a whole.
  public let path: String
  /// The condition, such as `expected a string`.
  public let reason: String

  init(_ path: String, _ reason: String) {
    self.path = path
    self.reason = reason
  }

  /// An error of a value that is missing or not of the expected form.
  static func expected(_ form: String, at path: String) -> CardError { CardError(path, "expected \(form)") }

  public var description: String { path.isEmpty ? reason : "\(path): \(reason)" }
}

/// A part of a valid card that displays do not show.
public struct CardWarning: Hashable, Sendable, CustomStringConvertible {
  /// The kind of a warning.
  public enum Kind: Hashable, Sendable {
    /// An element or action outside the subset that has no fallback.
    case unknownElement
    /// An image that is not in the card. Displays load nothing for a card, and show the image's text.
    case remoteImage
    /// A later version of the format.
    case laterVersion
  }

  /// The kind.
  public let kind: Kind
  /// The path of the value, such as `body[2]`.
  public let path: String

  public var description: String {
    switch kind {
    case .unknownElement: "\(path): unknown type without a fallback, which is not shown"
    case .remoteImage: "\(path): remote image, which is not loaded: use a data: URL"
    case .laterVersion: "\(path): later than \(CardReading.version)"
    }
  }
}
