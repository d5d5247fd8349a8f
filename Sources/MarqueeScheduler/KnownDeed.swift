import MarqueeModel

/// What a donation says beyond its action, where the engine knows its type (rules D7, D8).
enum KnownDeed: Sendable {
  /// Media were played.
  case media(Intent)
  /// A message was sent to these, of whom there are some.
  case message([DisplayIdentity])
  /// There are reservations.
  case reservations([Reservation])

  init?(_ deed: Donation.Deed) {
    switch deed {
    case .reservations(_, let reservations) where !reservations.isEmpty: self = .reservations(reservations)
    case .intent(let intent) where intent.type == .playMedia: self = .media(intent)
    case .intent(let intent) where intent.type == .sendMessage && !intent.recipients.isEmpty:
      self = .message(intent.recipients)
    case .intent, .userActivity, .reservations: return nil
    }
  }

  /// The type by whose flags an app can keep it from being suggested (rule D3).
  var type: IntentType {
    switch self {
    case .media: .playMedia
    case .message: .sendMessage
    case .reservations: .reservationDetails
    }
  }
}
