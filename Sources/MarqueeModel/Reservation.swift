/// A reservation of the user, as donated by an app (rule D8), corresponding to `INReservation`.
public struct Reservation: Hashable, Sendable {
  /// The maximum number of reservations in a donation.
  public static let countMax = 32
  /// The maximum travel time.
  public static let travelTimeMax = TimeSpan.hours(24)

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
  /// How long before ``start`` the user must leave, at most ``travelTimeMax``; zero if they need not leave, and `nil`
  /// if the app does not know it.
  public let travelTime: TimeSpan?

  /// Creates a reservation.
  ///
  /// - Throws: ``RequestError`` if the end precedes the start, the travel time is negative or too long, or a string is
  ///   too long.
  public init(
    item: DisplayIdentity, start: Instant, end: Instant? = nil, place: Place? = nil, checkIn: DateWindow? = nil,
    travelTime: TimeSpan? = nil
  ) throws(RequestError) {
    do { try IntentValue.object(item).check() } catch { throw error.within("item") }
    if let place { do { try IntentValue.place(place).check() } catch { throw error.within("place") } }
    if let end, end < start {
      throw RequestError(
        .invalidArgument, field: "end", "end precedes the start by \(end.span(to: start).words)")
    }
    if let travelTime { try Self.check(travelTime) }
    self.item = item
    self.start = start
    self.end = end
    self.place = place
    self.checkIn = checkIn
    self.travelTime = travelTime
  }

  private static func check(_ travelTime: TimeSpan) throws(RequestError) {
    let field = "travel_time_ms"
    guard travelTime >= .zero else {
      throw RequestError(.invalidArgument, field: field, "must not be negative (-\(travelTime.words))")
    }
    guard travelTime <= travelTimeMax else {
      throw RequestError(
        .resourceExhausted, field: field,
        "\(travelTime.words) exceeds travel-time-max (\(travelTimeMax.words))")
    }
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
  /// The bits of the tag that says what follows the place. Before travel times, it was a Boolean for the check-in.
  private static let (checkInBit, travelTimeBit): (UInt8, UInt8) = (1, 2)

  public func write(to writer: inout ByteWriter) {
    writer.write(item)
    writer.write(start)
    writer.write(end)
    writer.write(place)
    writer.write(tag: (checkIn == nil ? 0 : Self.checkInBit) | (travelTime == nil ? 0 : Self.travelTimeBit))
    if let checkIn { writer.write(checkIn) }
    if let travelTime { writer.write(travelTime.milliseconds) }
  }

  public init(from reader: inout ByteReader) throws(BinaryDecodingError) {
    let (item, start) = (try reader.read(DisplayIdentity.self), try reader.read(Instant.self))
    let (end, place) = (try reader.readOptional(Instant.self), try reader.readOptional(Place.self))
    let tag = try reader.readTag()
    guard tag <= Self.checkInBit | Self.travelTimeBit else { throw reader.corrupt("unknown reservation: \(tag)") }
    let checkIn = tag & Self.checkInBit > 0 ? try reader.read(DateWindow.self) : nil
    let travelTime = tag & Self.travelTimeBit > 0 ? TimeSpan(milliseconds: try reader.readInt64()) : nil
    self = try reader.checked { () throws(RequestError) in
      try Reservation(
        item: item, start: start, end: end, place: place, checkIn: checkIn, travelTime: travelTime)
    }
  }
}
