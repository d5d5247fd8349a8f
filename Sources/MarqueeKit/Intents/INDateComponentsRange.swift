public import Foundation
import MarqueeModel

/// A range of dates, given by their components.
///
/// Components without a calendar belong to the current one, and those without a time zone are in that of their
/// calendar.
public final class INDateComponentsRange: Sendable {
  /// The start.
  public let startDateComponents: DateComponents?
  /// The end; `nil` if it is not known.
  public let endDateComponents: DateComponents?

  /// Creates a range.
  public init(start: DateComponents?, end: DateComponents?) {
    (startDateComponents, endDateComponents) = (start, end)
  }

  var start: DateComponents? { startDateComponents }
  var end: DateComponents? { endDateComponents }
}

extension DateComponents {
  /// Returns the instant of the components.
  func instant(field: String) throws(RequestError) -> Instant {
    var calendar = calendar ?? .current
    if let timeZone { calendar.timeZone = timeZone }
    guard let date = calendar.date(from: self) else {
      throw RequestError(.invalidArgument, field: field, "the components are no date")
    }
    return try Instant(date, field: field)
  }
}
