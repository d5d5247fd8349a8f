import MarqueeModel
import Synchronization

/// How many devices there are, those included that are about to be written, over all shards.
final class Population: Sendable {
  private let countMax: Int
  private let state = Mutex(0)

  /// Nobody yet, of at most `countMax`.
  init(countMax: Int) {
    self.countMax = countMax
  }

  /// How many there are.
  var count: Int { state.withLock(\.self) }

  /// Counts those that are there already.
  func begin(with count: Int) { state.withLock { $0 = count } }

  /// Counts one more, or refuses it.
  func join() throws(Refusal) {
    try state.withLock { (count) throws(Refusal) in
      guard count < countMax else { throw .over(limit: "device-count-max", maximum: countMax, count: count + 1) }
      count += 1
    }
  }

  /// Takes back those that could not be written.
  func leave(_ count: Int) { state.withLock { $0 -= count } }
}
