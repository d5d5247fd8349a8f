import Foundation

/// The seeds of the random days that a test runs.
enum Seeds {
  /// The seeds from 1 to the number in the environment's `SIMULATION_SEEDS`, or to `count`.
  static func all(_ count: Int) -> ClosedRange<UInt64> {
    let wanted = ProcessInfo.processInfo.environment["SIMULATION_SEEDS"].flatMap(Int.init) ?? count
    return 1...UInt64(max(1, wanted))
  }
}
