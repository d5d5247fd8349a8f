/// Classes of the time since the previous action.
enum Gap {
  static let count = 5

  /// Returns the class: up to one minute, five minutes, half an hour, three hours, or more.
  static func index(_ seconds: Int) -> Int {
    seconds <= 60 ? 0 : seconds <= 300 ? 1 : seconds <= 1_800 ? 2 : seconds <= 10_800 ? 3 : 4
  }
}
