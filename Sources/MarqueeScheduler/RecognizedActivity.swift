import MarqueeModel

/// An activity of an intent type that the engine understands (rules D7, D8).
enum RecognizedActivity: Sendable {
  /// Media was played.
  case media(Intent)
  /// A message was sent to one or more recipients.
  case message([DisplayIdentity])
  /// The user received an interaction, with the sender if it is a message that names one (rule D9).
  case received(from: DisplayIdentity?)
  /// Reservations were donated.
  case reservations([Reservation])

  init?(_ activity: Donation.Activity) {
    switch activity {
    case .reservations(_, let reservations) where !reservations.isEmpty: self = .reservations(reservations)
    case .intent(let intent) where intent.type == .playMedia: self = .media(intent)
    case .intent(let intent) where intent.type == .sendMessage && !intent.recipients.isEmpty:
      self = .message(intent.recipients)
    case .received(let intent): self = .received(from: intent.type == .sendMessage ? intent.sender : nil)
    case .intent, .userActivity, .reservations: return nil
    }
  }

  /// The intent type whose registration determines whether the activity may be suggested (rule D3).
  var type: IntentType {
    switch self {
    case .media: .playMedia
    case .message, .received: .sendMessage
    case .reservations: .reservationDetails
    }
  }
}
