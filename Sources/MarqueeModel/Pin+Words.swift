extension Pin {
  /// The pin in words, such as `pinned on weekdays from 07:00 to 09:00, in the Focus work`.
  public var words: String {
    let parts = [times?.words, place.map(Self.words), focus.map { "in the Focus \($0)" }].compactMap(\.self)
    return parts.isEmpty ? "pinned" : "pinned \(parts.joined(separator: ", "))"
  }

  /// Returns a region in words, without its coordinates.
  private static func words(_ region: PlaceRegion) -> String { "within \(region.radius.words) m of a place" }
}

extension PinTimes {
  /// The times in words, such as `daily from 07:00 to 09:00`.
  public var words: String {
    "\(weekdays.words) from \(WallTime.words(minute: start)) to \(WallTime.words(minute: end))"
  }
}

extension Weekdays {
  private static let names = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]

  /// The days in words, such as `daily`, `on weekdays` or `on Monday and Friday`.
  fileprivate var words: String {
    switch self {
    case .all: return "daily"
    case .workdays: return "on weekdays"
    case .weekend: return "on weekends"
    default:
      let names = Self.names.enumerated().filter { contains(Weekdays($0.offset)) }.map(\.element)
      guard let last = names.last, names.count > 1 else { return "on \(names.joined())" }
      return "on \(names.dropLast().joined(separator: ", ")) and \(last)"
    }
  }
}
