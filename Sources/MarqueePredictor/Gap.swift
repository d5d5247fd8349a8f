/// How long since the previous action, in the classes that habits differ by.
enum Gap {
  static let count = 5

  /// Up to a minute, five minutes, half an hour, three hours, or more.
  static func index(_ seconds: Int) -> Int {
    seconds <= 60 ? 0 : seconds <= 300 ? 1 : seconds <= 1_800 ? 2 : seconds <= 10_800 ? 3 : 4
  }
}
