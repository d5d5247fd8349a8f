/// Built-in intent types of the platform that the engine interprets (WWDC21 10231; rules D7, D8).
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
  /// The show, artist or album of the media: the object `mediaContainer`.
  public var mediaContainer: DisplayIdentity? {
    guard case .single(.object(let container))? = value(named: "mediaContainer") else { return nil }
    return container
  }

  /// The sender of a message: the parameter `sender`.
  public var sender: DisplayIdentity? {
    guard case .single(.person(let person))? = value(named: "sender") else { return nil }
    return person
  }

  /// The distinct recipients of a message: the parameter `recipients`.
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

  /// Whether `whole` has the same type and all parameters of this intent, with equal values.
  package func isPart(of whole: Intent) -> Bool {
    type == whole.type && parameters.allSatisfy(whole.parameters.contains)
  }

  private func value(named name: String) -> ParameterValue? { parameters.first { $0.name.text == name }?.value }
}
