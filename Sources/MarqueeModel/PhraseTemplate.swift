/// A phrase by which a user can ask for an intent: text with the app's name and, optionally, one parameter.
public struct PhraseTemplate: Hashable, Sendable {
  /// The maximum size of a phrase, in bytes.
  public static let sizeMax = SpokenText.sizeMax
  /// The maximum number of parts of a phrase.
  public static let partCountMax = 16

  /// A parameter of the intent whose value is part of the phrase.
  public struct Parameter: Hashable, Sendable {
    /// The parameter's name.
    public let name: IntentParameter.Name
    /// The type of its value; not an array.
    public let type: IntentValueType
    /// Whether the app lists options for it.
    public let hasOptions: Bool

    /// Creates a parameter.
    public init(_ name: IntentParameter.Name, type: IntentValueType, hasOptions: Bool) {
      self.name = name
      self.type = type
      self.hasOptions = hasOptions
    }
  }

  /// A part of a phrase.
  public enum Part: Hashable, Sendable {
    /// Literal text, not empty.
    case text(String)
    /// The name of the app.
    case applicationName
    /// The value of a parameter.
    case parameter(Parameter)
  }

  /// The parts of the phrase.
  public let parts: [Part]

  /// Creates a phrase.
  ///
  /// - Throws: ``RequestError`` unless the phrase contains the application name exactly once and at most one parameter,
  ///   and if a text is empty or the phrase exceeds ``partCountMax`` or ``sizeMax``.
  public init(_ parts: [Part]) throws(RequestError) {
    guard parts.count <= Self.partCountMax else {
      throw .over(limit: "phrase-part-count-max", maximum: Self.partCountMax, count: parts.count, field: "parts")
    }
    var (nameCount, parameterCount, size) = (0, 0, 0)
    for (index, part) in parts.enumerated() {
      switch part {
      case .text(let text):
        guard !text.isEmpty else { throw RequestError(.invalidArgument, field: "parts[\(index)].text", "is empty") }
        size += text.utf8.count
      case .applicationName: nameCount += 1
      case .parameter(let parameter):
        parameterCount += 1
        size += parameter.name.text.utf8.count
      }
    }
    guard nameCount == 1 else {
      throw RequestError(
        .invalidArgument, field: "parts", "the application name must occur exactly once, not \(nameCount) times")
    }
    guard parameterCount <= 1 else {
      throw RequestError(.invalidArgument, field: "parts", "\(parameterCount) parameters; at most one is allowed")
    }
    guard size <= Self.sizeMax else {
      throw .over(limit: "phrase-size-max", maximum: Self.sizeMax, count: size, field: "parts")
    }
    self.parts = parts
  }

  /// The parameter, if any.
  public var parameter: Parameter? {
    for case .parameter(let parameter) in parts { return parameter }
    return nil
  }

  /// The size of the texts and of the parameter's name, in bytes.
  var size: Int {
    parts.reduce(0) { size, part in
      switch part {
      case .text(let text): size + text.utf8.count
      case .applicationName: size
      case .parameter(let parameter): size + parameter.name.text.utf8.count
      }
    }
  }

  /// Returns the phrase as it is shown, with the app's name and the title of the parameter's value.
  func shown(applicationName: String, value: String) -> String {
    parts.map { part in
      switch part {
      case .text(let text): text
      case .applicationName: applicationName
      case .parameter: value
      }
    }.joined()
  }
}
