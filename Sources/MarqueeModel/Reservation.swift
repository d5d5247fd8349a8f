/// Something that the person has reserved, as a donation tells of it (rule D8): `INReservation` on the platform.
public struct Reservation: Hashable, Sendable {
  /// Reservations in one donation, at most.
  public static let countMax = 32

  /// What is reserved; its identifier tells one reservation of an app from another.
  public let item: DisplayIdentity
  /// When it begins.
  public let start: Instant
  /// When it ends, not before ``start``; `nil` when that is open.
  public let end: Instant?
  /// Where it is; `nil` when there is nowhere to go.
  public let place: Place?
  /// When the person can check in; a window without an end is open until ``start``. `nil` when there is no check-in.
  public let checkIn: DateWindow?

  /// A reservation, or a refusal of an end before the start and of an item that is too long.
  public init(
    item: DisplayIdentity, start: Instant, end: Instant? = nil, place: Place? = nil, checkIn: DateWindow? = nil
  ) throws(Refusal) {
    do { try IntentValue.object(item).check() } catch { throw error.within("item") }
    if let place { do { try IntentValue.place(place).check() } catch { throw error.within("place") } }
    if let end, end < start {
      throw Refusal(.invalidArgument, field: "end", "\(end.span(to: start).milliseconds) ms before the start")
    }
    self.item = item
    self.start = start
    self.end = end
    self.place = place
    self.checkIn = checkIn
  }
}

/// What there is to do about a reservation before it begins.
public enum Errand: UInt8, CaseIterable, Sendable {
  /// Leave for its place.
  case leave = 1
  /// Check in.
  case checkIn
}

extension Reservation: ByteCodable {
  public func write(to writer: inout ByteWriter) {
    writer.write(item)
    writer.write(start)
    writer.write(end)
    writer.write(place)
    writer.write(checkIn)
  }

  public init(from reader: inout ByteReader) throws(CorruptBytes) {
    let (item, start) = (try reader.read(DisplayIdentity.self), try reader.read(Instant.self))
    let (end, place) = (try reader.readOptional(Instant.self), try reader.readOptional(Place.self))
    let checkIn = try reader.readOptional(DateWindow.self)
    self = try reader.checked { () throws(Refusal) in
      try Reservation(item: item, start: start, end: end, place: place, checkIn: checkIn)
    }
  }
}
