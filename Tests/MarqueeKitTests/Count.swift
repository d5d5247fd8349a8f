import Synchronization

extension Weather {
  /// Counts from 0.
  final class Count: Sendable {
    private let number = Mutex(0)

    var value: Int { number.withLock(\.self) }

    func next() -> Int {
      number.withLock { number in
        number += 1
        return number - 1
      }
    }
  }
}
