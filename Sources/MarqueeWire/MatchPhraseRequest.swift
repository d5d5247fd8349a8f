internal import CMarqueeProtos
public import MarqueeModel
internal import MarqueeRPC

/// A request for the intents that a spoken text means.
public struct MatchPhraseRequest: Hashable, Sendable {
  /// The device.
  public let device: DeviceID
  /// The text, which is a valid `SpokenText`.
  public let text: String

  /// Creates a request.
  ///
  /// - Throws: ``RequestError`` if the text is empty, too long, or consists of punctuation and white space.
  public init(device: DeviceID, text: String) throws(RequestError) {
    _ = try Field.within("text", SpokenText(text))
    self.device = device
    self.text = text
  }
}

extension PhraseTemplate.Part: WireValue {
  init(_ message: Marquee__V1__PhrasePart) throws(RequestError) {
    switch message.part_case {
    case MARQUEE__V1__PHRASE_PART__PART_TEXT: self = .text(try Field.text(message.text, "text"))
    case MARQUEE__V1__PHRASE_PART__PART_APPLICATION_NAME:
      try Field.selector(message.application_name, "application_name")
      self = .applicationName
    case MARQUEE__V1__PHRASE_PART__PART_PARAMETER:
      self = .parameter(try Field.required(message.parameter, "parameter"))
    default: throw Field.absent("part")
    }
  }

  func fill(_ message: inout Marquee__V1__PhrasePart, _ scratch: EncodeScratch) {
    switch self {
    case .text(let text):
      message.part_case = MARQUEE__V1__PHRASE_PART__PART_TEXT
      message.text = scratch.text(text)
    case .applicationName:
      message.part_case = MARQUEE__V1__PHRASE_PART__PART_APPLICATION_NAME
      message.application_name = 1
    case .parameter(let parameter):
      message.part_case = MARQUEE__V1__PHRASE_PART__PART_PARAMETER
      message.parameter = scratch.message(parameter)
    }
  }
}
