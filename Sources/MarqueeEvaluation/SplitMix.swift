/// A seeded pseudo-random generator (SplitMix64), so that synthetic people are the same on every machine.
struct SplitMix: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// Returns a number in `0 ..< bound`, which must be positive.
  mutating func below(_ bound: Int) -> Int { Int(next() >> 33) % bound }

  /// Returns a number that is uniformly distributed in `0 ..< 1`.
  mutating func fraction() -> Double { Double(next() >> 11) * 0x1p-53 }

  /// Returns a number that is approximately normally distributed, with mean 0 and standard deviation 1: the sum of
  /// twelve uniformly distributed numbers, minus 6.
  mutating func normal() -> Double { (0..<12).reduce(-6) { sum, _ in sum + fraction() } }
}
