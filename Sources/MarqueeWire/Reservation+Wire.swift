internal import CMarqueeProtos
internal import MarqueeModel
internal import MarqueeRPC

extension Reservation: WireValue {
  init(_ message: Marquee__V1__Reservation) throws(RequestError) {
    let hasEnd = message.maybe_end_case == MARQUEE__V1__RESERVATION__MAYBE_END_END_MS
    try self.init(
      item: Field.required(message.item, "item"), start: Field.instant(message.start_ms, "start_ms"),
      end: hasEnd ? Field.instant(message.end_ms, "end_ms") : nil, place: Field.optional(message.place, "place"),
      checkIn: Field.optional(message.check_in, "check_in"))
  }

  func fill(_ message: inout Marquee__V1__Reservation, _ scratch: EncodeScratch) {
    message.item = scratch.message(item)
    message.start_ms = start.milliseconds
    if let end {
      message.maybe_end_case = MARQUEE__V1__RESERVATION__MAYBE_END_END_MS
      message.end_ms = end.milliseconds
    }
    message.place = scratch.message(place)
    message.check_in = scratch.message(checkIn)
  }
}

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
