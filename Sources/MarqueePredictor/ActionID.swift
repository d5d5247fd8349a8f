/// An action of one device: a number from 0, assigned by the caller without gaps as actions are first seen.
///
/// The predictor allocates memory for every number up to the largest one learned, so numbers should stay small.
public struct ActionID: Sendable, Hashable, Comparable {
  /// The exclusive upper bound of numbers, which limits memory.
  public static let countMax = 65_536

  /// The number, in `0 ..< countMax`.
  public let number: Int

  /// Creates an action identifier.
  ///
  /// - Precondition: `number` is in `0 ..< countMax`.
  public init(_ number: Int) {
    precondition((0..<Self.countMax).contains(number), "action number \(number) is out of range 0 ..< \(Self.countMax)")
    self.number = number
  }

  public static func < (one: Self, other: Self) -> Bool { one.number < other.number }
}
