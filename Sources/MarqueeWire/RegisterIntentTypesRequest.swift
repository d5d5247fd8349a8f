internal import CMarqueeProtos
public import MarqueeModel
internal import MarqueeRPC

/// A request to register intent types of an app on a device.
public struct RegisterIntentTypesRequest: Hashable, Sendable {
  /// The device.
  public let device: DeviceID
  /// The app.
  public let app: AppID
  /// The distinct types, all of ``app``.
  public let intentTypes: [IntentTypeDescriptor]
  /// The language of the texts if the app does not have them in the device's language, `nil` if it does. In another
  /// language than the device's, types that are registered and differ in nothing but texts keep theirs.
  public let language: LanguageTag?

  /// Creates a request.
  ///
  /// - Throws: ``RequestError`` if a type is duplicated or belongs to another app.
  public init(
    device: DeviceID, app: AppID, intentTypes: [IntentTypeDescriptor], language: LanguageTag? = nil
  ) throws(RequestError) {
    if let index = intentTypes.firstIndex(where: { $0.app != app }) {
      throw RequestError(.invalidArgument, field: "intent_types[\(index)]", "belongs to another app")
    }
    try Field.unique(intentTypes, "intent_types", by: \.type)
    self.device = device
    self.app = app
    self.intentTypes = intentTypes
    self.language = language
  }
}

extension RegisterIntentTypesRequest: WireValue {
  init(_ message: Marquee__V1__RegisterIntentTypesRequest) throws(RequestError) {
    let app: AppID = try Field.identifier(message.app, "app")
    try self.init(
      device: Field.identifier(message.device, "device"), app: app,
      intentTypes: IntentTypeDescriptor.array(message.n_intent_types, message.intent_types, app: app),
      language: Field.identifierIfPresent(message.language, "language"))
  }

  func fill(_ message: inout Marquee__V1__RegisterIntentTypesRequest, _ scratch: EncodeScratch) {
    message.device = scratch.text(device)
    message.app = scratch.text(app)
    (message.n_intent_types, message.intent_types) = scratch.array(intentTypes)
    message.language = scratch.text(language)
  }
}

/// Descriptions are encoded without their app, which the enclosing message contains.
extension IntentTypeDescriptor {
  typealias Message = Marquee__V1__IntentTypeDescriptor

  /// Decodes the field `intent_types` of a message about `app`.
  static func array(
    _ count: Int, _ pointers: UnsafeMutablePointer<UnsafeMutablePointer<Message>?>?, app: AppID
  ) throws(RequestError) -> [IntentTypeDescriptor] {
    try Field.array(count, pointers, "intent_types") { (pointer) throws(RequestError) in
      guard let pointer else { throw Field.absent("") }
      return try IntentTypeDescriptor(pointer.pointee, app: app)
    }
  }

  private init(_ message: Message, app: AppID) throws(RequestError) {
    try self.init(
      app: app, type: Field.identifier(message.type, "type"),
      parameters: Field.array(message.n_parameters, message.parameters, "parameters"),
      combinations: Field.array(message.n_combinations, message.combinations, "combinations"),
      isEligibleForWidgets: message.eligible_for_widgets != 0,
      isEligibleForSuggestions: message.eligible_for_suggestions != 0,
      isDiscoverable: message.discoverable != 0, isFocusFilter: message.focus_filter != 0,
      title: Field.text(message.title, "title"),
      descriptionText: Field.text(message.description, "description"))
  }

  fileprivate func fill(_ message: inout Message, _ scratch: EncodeScratch) {
    message.type = scratch.text(type)
    (message.n_parameters, message.parameters) = scratch.array(parameters)
    (message.n_combinations, message.combinations) = scratch.array(combinations)
    message.eligible_for_widgets = isEligibleForWidgets ? 1 : 0
    message.eligible_for_suggestions = isEligibleForSuggestions ? 1 : 0
    message.discoverable = isDiscoverable ? 1 : 0
    message.focus_filter = isFocusFilter ? 1 : 0
    message.title = scratch.text(title)
    message.description = scratch.text(descriptionText)
  }
}

extension EncodeScratch {
  /// Encodes repeated descriptions.
  func array(
    _ types: [IntentTypeDescriptor]
  ) -> (Int, UnsafeMutablePointer<UnsafeMutablePointer<IntentTypeDescriptor.Message>?>?) {
    elements(types) { type in build { type.fill(&$0, self) } }
  }
}

extension IntentValueType {
  /// Decodes a type. The enumeration starts at 1 on the wire, because 0 means unspecified.
  init(_ type: Marquee__V1__IntentValueType, _ name: String) throws(RequestError) {
    guard let number = UInt8(exactly: type.rawValue), number > 0, let known = Self(rawValue: number - 1) else {
      throw RequestError(.invalidArgument, field: name, "unknown value type: \(Int32(bitPattern: type.rawValue))")
    }
    self = known
  }
}

extension Marquee__V1__IntentValueType {
  init(_ type: IntentValueType) {
    self.init(rawValue: UInt32(type.rawValue) + 1)
  }
}

extension IntentTypeDescriptor.Combination: WireValue {
  init(_ message: Marquee__V1__ParameterCombination) throws(RequestError) {
    let names: [IntentParameter.Name] = try Field.identifiers(
      message.n_parameters, message.parameters, "parameters")
    try Field.unique(names, "parameters") { $0 }
    self.init(
      parameters: names, isBackground: message.runs_in_background != 0,
      texts: try Field.optional(message.texts, "texts") ?? .none)
  }

  func fill(_ message: inout Marquee__V1__ParameterCombination, _ scratch: EncodeScratch) {
    (message.n_parameters, message.parameters) = scratch.elements(parameters) { scratch.text($0) }
    message.runs_in_background = isBackground ? 1 : 0
    message.texts = scratch.message(texts == .none ? nil : texts)
  }
}

extension ActionTexts: WireValue {
  init(_ message: Marquee__V1__ActionTexts) throws(RequestError) {
    try self.init(
      title: Self.format(message.title, "title"), subtitle: Self.format(message.subtitle, "subtitle"),
      summary: Self.format(message.summary, "summary"), imageKey: Field.text(message.image_key, "image_key"),
      category: Field.text(message.category, "category"),
      keywords: Field.texts(message.n_keywords, message.keywords, "keywords"))
  }

  private static func format(_ text: ProtobufCBinaryData, _ name: String) throws(RequestError) -> TextFormat {
    let text = try Field.text(text, name)
    return try Field.within(name, TextFormat(text))
  }

  func fill(_ message: inout Marquee__V1__ActionTexts, _ scratch: EncodeScratch) {
    message.title = scratch.text(title.text)
    message.subtitle = scratch.text(subtitle.text)
    message.summary = scratch.text(summary.text)
    message.image_key = scratch.text(imageKey)
    message.category = scratch.text(category)
    (message.n_keywords, message.keywords) = scratch.elements(keywords) { scratch.text($0) }
  }
}
