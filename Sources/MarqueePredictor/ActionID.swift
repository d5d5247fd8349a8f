/// An action of one device: a number from 0 that the caller gives out, without gaps, as actions are first seen.
///
/// The predictor keeps a column for every number up to the largest it has learned, so numbers should stay small.
public struct ActionID: Sendable, Hashable, Comparable {
  /// More actions than this are one device's mistake, or an attack.
  public static let countMax = 65_536

  public let number: Int

  /// The number must be in `0 ..< countMax`.
  public init(_ number: Int) {
    precondition((0..<Self.countMax).contains(number), "action \(number) of at most \(Self.countMax)")
    self.number = number
  }

  public static func < (one: Self, other: Self) -> Bool { one.number < other.number }
}
