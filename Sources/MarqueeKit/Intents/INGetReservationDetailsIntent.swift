/// An intent to show reservations, whose response has them.
///
/// ```swift
/// let intent = INGetReservationDetailsIntent(reservationContainerReference: nil, reservationItemReferences: [table])
/// let response = INGetReservationDetailsIntentResponse(code: .success, userActivity: nil)
/// response.reservations = [reservation]
/// try await INInteraction(intent: intent, response: response).donate()
/// ```
///
/// When it is time to leave, or to check in, for a donated reservation, displays suggest it, also as a notification.
/// The intent itself predicts nothing: no parameter combination is supported.
public final class INGetReservationDetailsIntent: INIntent, @unchecked Sendable {
  /// What the reservations belong to, such as a trip.
  @Parameter public var reservationContainerReference: INSpeakableString?
  /// The reserved items.
  @Parameter public var reservationItemReferences: [INSpeakableString]?

  /// Creates an intent without parameter values.
  public required init() { super.init() }

  /// Creates an intent to show reservations.
  public convenience init(
    reservationContainerReference: INSpeakableString?, reservationItemReferences: [INSpeakableString]?
  ) {
    self.init()
    self.reservationContainerReference = reservationContainerReference
    self.reservationItemReferences = reservationItemReferences
  }

  public override class var parameterCombinations: [[String]]? { [] }
  public override class var title: String { "Show Reservations" }
}

/// The response to an ``INGetReservationDetailsIntent``.
public final class INGetReservationDetailsIntentResponse: INIntentResponse, @unchecked Sendable {
  /// The reservations, at most 32 in a donation.
  public var reservations: [INReservation]?
}
