/// A reservation of the user, as donated by an app (rule D8), corresponding to `INReservation`.
public struct Reservation: Hashable, Sendable {
  /// The maximum number of reservations in a donation.
  public static let countMax = 32

  /// The reserved item; its identifier distinguishes the app's reservations.
  public let item: DisplayIdentity
  /// The start.
  public let start: Instant
  /// The end, not before ``start``; `nil` if open-ended.
  public let end: Instant?
  /// The place; `nil` if there is none.
  public let place: Place?
  /// The check-in window; `nil` if there is no check-in. A window without an end closes at ``start``.
  public let checkIn: DateWindow?

  /// Creates a reservation.
  ///
  /// - Throws: ``RequestError`` if the end precedes the start, or a string is too long.
  public init(
    item: DisplayIdentity, start: Instant, end: Instant? = nil, place: Place? = nil, checkIn: DateWindow? = nil
  ) throws(RequestError) {
    do { try IntentValue.object(item).check() } catch { throw error.within("item") }
    if let place { do { try IntentValue.place(place).check() } catch { throw error.within("place") } }
    if let end, end < start {
      throw RequestError(
        .invalidArgument, field: "end", "end precedes the start by \(end.span(to: start).milliseconds) ms")
    }
    self.item = item
    self.start = start
    self.end = end
    self.place = place
    self.checkIn = checkIn
  }
}

/// An action to take before a reservation begins.
public enum Errand: UInt8, CaseIterable, Sendable {
  /// Leave for the place.
  case leave = 1
  /// Check in.
  case checkIn
}

extension Reservation: BinaryCodable {
  public func write(to writer: inout ByteWriter) {
    writer.write(item)
    writer.write(start)
    writer.write(end)
    writer.write(place)
    writer.write(checkIn)
  }

  public init(from reader: inout ByteReader) throws(BinaryDecodingError) {
    let (item, start) = (try reader.read(DisplayIdentity.self), try reader.read(Instant.self))
    let (end, place) = (try reader.readOptional(Instant.self), try reader.readOptional(Place.self))
    let checkIn = try reader.readOptional(DateWindow.self)
    self = try reader.checked { () throws(RequestError) in
      try Reservation(item: item, start: start, end: end, place: place, checkIn: checkIn)
    }
  }
}
