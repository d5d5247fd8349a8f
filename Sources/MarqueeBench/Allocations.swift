import CAllocationCount

/// How often memory is asked for.
enum Allocations {
  /// Allocations of all threads while `body` runs; one count at a time.
  static func count(_ body: () throws -> Void) rethrows -> Int {
    allocation_count_set(true)
    defer { allocation_count_set(false) }
    try body()
    return Int(allocation_count())
  }
}
