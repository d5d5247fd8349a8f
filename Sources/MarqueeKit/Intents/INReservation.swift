public import Foundation
import MarqueeModel

/// The status of a reservation.
public enum INReservationStatus: Int, Sendable {
  case unknown
  /// The user no longer has the reservation: nothing is suggested for it.
  case canceled
  case pending
  case hold
  case confirmed
}

/// A reservation of the user, in an ``INGetReservationDetailsIntentResponse``.
///
/// The engine suggests to leave for it and to check in. It uses the ``itemReference``, which distinguishes the app's
/// reservations, the ``reservationDuration``, the ``location``, the ``travelTime`` and the first
/// ``INReservationAction`` to check in; nothing else is sent to the server. Donate a reservation again when it changes.
///
/// Apple's classes for flights, trains and others are absent: create this class, or a subclass of it.
open class INReservation: @unchecked Sendable {
  /// The reserved item.
  public let itemReference: INSpeakableString
  /// The number of the reservation. It is not sent to the server.
  public let reservationNumber: String?
  /// When the reservation was made. It is not sent to the server.
  public let bookingTime: Date?
  /// The status.
  public let reservationStatus: INReservationStatus
  /// The name of its holder. It is not sent to the server.
  public let reservationHolderName: String?
  /// What the user can do about it.
  public let actions: [INReservationAction]?
  /// The address of its details. It is not sent to the server.
  public let url: URL?
  /// When it begins and ends. The beginning is required.
  public let reservationDuration: INDateComponentsRange
  /// The place.
  public let location: CLPlacemark?
  /// How long before the beginning the user must leave, in seconds, at most 24 hours; zero if they need not leave.
  ///
  /// Without one, the engine suggests to leave an hour before a reservation with a place. Intents has no such property,
  /// since Apple's systems know the traffic.
  open var travelTime: TimeInterval?

  /// Creates a reservation.
  public init(
    itemReference: INSpeakableString, reservationNumber: String? = nil, bookingTime: Date? = nil,
    reservationStatus: INReservationStatus = .confirmed, reservationHolderName: String? = nil,
    actions: [INReservationAction]? = nil, url: URL? = nil, reservationDuration: INDateComponentsRange,
    location: CLPlacemark? = nil
  ) {
    self.itemReference = itemReference
    self.reservationNumber = reservationNumber
    self.bookingTime = bookingTime
    self.reservationStatus = reservationStatus
    self.reservationHolderName = reservationHolderName
    self.actions = actions
    self.url = url
    self.reservationDuration = reservationDuration
    self.location = location
  }

  /// Returns the reservation, converted to the server's model.
  func model() throws -> Reservation {
    let duration = reservationDuration
    guard let start = try duration.start?.instant(field: "reservationDuration.start") else {
      throw RequestError(.invalidArgument, field: "reservationDuration.start", "required field is missing")
    }
    let isCanceled = reservationStatus == .canceled
    let checkIn = isCanceled ? nil : actions?.first { $0.type == .checkIn }?.validDuration
    return try Reservation(
      item: itemReference.identity, start: start,
      end: duration.end?.instant(field: "reservationDuration.end"), place: place(),
      checkIn: checkIn?.checkInWindow(),
      travelTime: isCanceled ? .zero : travelTime.map { try Self.span(of: $0) })
  }

  private func place() throws -> Place? {
    guard case .place(let place)? = try location?.intentValue() else { return nil }
    return place
  }

  private static func span(of travelTime: TimeInterval) throws -> TimeSpan {
    guard let span = TimeSpan(seconds: travelTime) else {
      throw RequestError(.invalidArgument, field: "travelTime", "must be a finite number of seconds")
    }
    return span
  }
}

extension [INReservation] {
  /// Returns the reservations, converted to the server's model.
  func models() throws -> [Reservation] {
    try enumerated().map { index, reservation in
      do { return try reservation.model() } catch let error as RequestError {
        throw error.within("reservations[\(index)]")
      }
    }
  }
}

/// A reservation in a restaurant.
public final class INRestaurantReservation: INReservation, @unchecked Sendable {
  /// The number of people. It is not sent to the server.
  public let partySize: Int?

  /// Creates a reservation in a restaurant.
  public init(
    itemReference: INSpeakableString, reservationNumber: String? = nil, bookingTime: Date? = nil,
    reservationStatus: INReservationStatus, reservationHolderName: String? = nil,
    actions: [INReservationAction]? = nil, url: URL? = nil, reservationDuration: INDateComponentsRange,
    partySize: Int? = nil, restaurantLocation: CLPlacemark
  ) {
    self.partySize = partySize
    super.init(
      itemReference: itemReference, reservationNumber: reservationNumber, bookingTime: bookingTime,
      reservationStatus: reservationStatus, reservationHolderName: reservationHolderName, actions: actions, url: url,
      reservationDuration: reservationDuration, location: restaurantLocation)
  }
}

/// A reservation in a hotel or the like.
public final class INLodgingReservation: INReservation, @unchecked Sendable {
  /// The number of adults. It is not sent to the server.
  public let numberOfAdults: Int?
  /// The number of children. It is not sent to the server.
  public let numberOfChildren: Int?

  /// Creates a reservation in a hotel or the like.
  public init(
    itemReference: INSpeakableString, reservationNumber: String? = nil, bookingTime: Date? = nil,
    reservationStatus: INReservationStatus, reservationHolderName: String? = nil,
    actions: [INReservationAction]? = nil, url: URL? = nil, lodgingBusinessLocation: CLPlacemark,
    reservationDuration: INDateComponentsRange, numberOfAdults: Int? = nil, numberOfChildren: Int? = nil
  ) {
    self.numberOfAdults = numberOfAdults
    self.numberOfChildren = numberOfChildren
    super.init(
      itemReference: itemReference, reservationNumber: reservationNumber, bookingTime: bookingTime,
      reservationStatus: reservationStatus, reservationHolderName: reservationHolderName, actions: actions, url: url,
      reservationDuration: reservationDuration, location: lodgingBusinessLocation)
  }
}
