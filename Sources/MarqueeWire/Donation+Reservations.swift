internal import CMarqueeProtos
internal import MarqueeModel
internal import MarqueeRPC

extension Donation.Activity {
  /// Decodes an activity with reservations.
  init(
    _ pointer: UnsafeMutablePointer<Marquee__V1__ReservationDetails>?, _ name: String
  ) throws(RequestError) {
    guard let details = pointer?.pointee else { throw Field.absent(name) }
    let (intent, reservations): (Intent, [Reservation]) = try Field.within(name, Self.read(details))
    self = .reservations(intent, reservations)
  }

  private static func read(_ details: Marquee__V1__ReservationDetails) throws(RequestError) -> (Intent, [Reservation]) {
    (
      try Field.required(details.intent, "intent"),
      try Field.array(details.n_reservations, details.reservations, "reservations")
    )
  }
}

extension EncodeScratch {
  func details(
    _ intent: Intent, _ reservations: [Reservation]
  ) -> UnsafeMutablePointer<Marquee__V1__ReservationDetails> {
    build {
      $0.intent = message(intent)
      ($0.n_reservations, $0.reservations) = array(reservations)
    }
  }
}
