import MarqueeModel

/// What the user can do about a reservation.
public enum INReservationActionType: Int, Sendable {
  case unknown
  /// The user checks in.
  case checkIn
}

/// Something that the user can do about a reservation, and when.
public final class INReservationAction: @unchecked Sendable {
  /// The action.
  public let type: INReservationActionType
  /// When it is possible; the beginning is required. Checking in ends no later than the reservation begins.
  public let validDuration: INDateComponentsRange
  /// The activity that the app restores for it. It is not sent to the server: the app continues the donated intent,
  /// with the ``NSUserActivity/reservationErrand``.
  public let userActivity: NSUserActivity

  /// Creates an action.
  public init(type: INReservationActionType, validDuration: INDateComponentsRange, userActivity: NSUserActivity) {
    self.type = type
    self.validDuration = validDuration
    self.userActivity = userActivity
  }
}

extension INDateComponentsRange {
  /// Returns the window in which the user can check in for a reservation.
  func checkInWindow() throws -> DateWindow {
    guard let opening = try start?.instant(field: "actions.validDuration.start") else {
      throw RequestError(.invalidArgument, field: "actions.validDuration.start", "required field is missing")
    }
    return try DateWindow(start: opening, end: end?.instant(field: "actions.validDuration.end"))
  }
}
