/// What the engine knows of intent types that the platform defines for all apps (WWDC21 10231; rules D7, D8).
extension IntentType {
  /// Playing media: `INPlayMediaIntent`.
  public static let playMedia = builtIn("INPlayMediaIntent")
  /// Sending a message: `INSendMessageIntent`.
  public static let sendMessage = builtIn("INSendMessageIntent")
  /// Looking at a reservation: `INGetReservationDetailsIntent`.
  public static let reservationDetails = builtIn("INGetReservationDetailsIntent")

  private static func builtIn(_ text: String) -> IntentType {
    do { return try IntentType(text) } catch { preconditionFailure("\(text): \(error)") }
  }
}

extension Intent {
  /// The show, artist or album that the media belongs to: the object `mediaContainer`.
  public var mediaContainer: DisplayIdentity? {
    guard case .single(.object(let container))? = value(named: "mediaContainer") else { return nil }
    return container
  }

  /// The persons that a message goes to, each once: `recipients`.
  public var recipients: [DisplayIdentity] {
    let values: [IntentValue] =
      switch value(named: "recipients") {
      case .single(let value)?: [value]
      case .array(let values)?: values
      case nil: []
      }
    var persons: [DisplayIdentity] = []
    for case .person(let person) in values where !persons.contains(person) { persons.append(person) }
    return persons
  }

  /// Whether the other has every parameter of this one, with the same value.
  package func isPart(of whole: Intent) -> Bool {
    type == whole.type && parameters.allSatisfy(whole.parameters.contains)
  }

  private func value(named name: String) -> ParameterValue? { parameters.first { $0.name.text == name }?.value }
}
