import Foundation
import MarqueeModel
import MarqueeScheduler
import MarqueeWire

extension Device {
  /// Returns the best suggestions for a surface that fit into one response.
  func listedSuggestions(on surface: SuggestionSurface, count: Int) -> [ListedSuggestion] {
    var size = 0
    let suggestions = suggestions(on: surface, count: count)
    let fitting = zip(suggestions, displays(of: suggestions.map(\.subject))).prefix { suggestion, display in
      size += suggestion.subject.size + display.size
      return size <= AdminHandlers.pageSizeMax
    }
    return fitting.map { suggestion, display in
      ListedSuggestion(
        subject: suggestion.subject, confidence: suggestion.confidence,
        reason: suggestion.reason.words(format: localTime), basis: suggestion.reason, until: suggestion.until,
        display: display)
    }
  }

  // The zone was validated when the device was registered.
  private var zone: TimeZone { TimeZone(identifier: timeZone.text) ?? .gmt }

  /// The start of the next local day, on which ``localTime(_:)`` adds the date to other instants.
  var nextLocalDay: Instant? {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = zone
    let today = Date(timeIntervalSince1970: Double(now.milliseconds / 1_000))
    guard let tomorrow = calendar.date(byAdding: .day, value: 1, to: today) else { return nil }
    let seconds = Int64(saturating: calendar.startOfDay(for: tomorrow).timeIntervalSince1970)
    return Instant(milliseconds: seconds * 1_000)
  }

  /// Formats an instant in the device's time zone: the time of day, after the date unless it is the current one.
  private func localTime(_ instant: Instant) -> String {
    let zone = zone
    /// Formats the local date and time as if in UTC: `2021-06-07T09:41:00Z`.
    func local(_ instant: Instant) -> String {
      let offset = zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(instant.milliseconds / 1_000)))
      return instant.advanced(by: TimeSpan(milliseconds: Int64(offset) * 1_000)).description
    }
    let text = local(instant)
    let (day, time) = (text.prefix(10), text.dropFirst(11).prefix(8))
    return day == local(now).prefix(10) ? String(time) : "\(day) \(time)"
  }
}

extension SurfaceSuggestion.Subject {
  /// The approximate encoded size in bytes.
  fileprivate var size: Int {
    switch self {
    case .action(.intent(_, let intent)), .upcomingMedia(_, let intent): intent.encoded.count
    case .action(.userActivity(_, _, let values)): values.reduce(0) { $0 + $1.encoded.count }
    case .reservation(_, let reservation, _): reservation.encoded.count
    case .person(_, let person): person.encoded.count
    case .shortcut(_, let shortcut): shortcut.encoded.count
    }
  }
}
