import MarqueeModel

/// A deterministic random number generator (SplitMix64, Steele, Lea and Flood 2014) that generates valid values.
public struct Sampler: RandomNumberGenerator {
  private var state: UInt64

  /// Creates a generator; equal seeds generate equal values.
  public init(seed: UInt64) {
    state = seed
  }

  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// Returns `true` with a probability of `1 / chances`.
  public mutating func once(in chances: Int) -> Bool { Int.random(in: 0..<chances, using: &self) == 0 }

  /// Returns a number in `range`.
  public mutating func number(in range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

  /// Returns a random element of `values`.
  public mutating func one<Value>(of values: [Value]) -> Value { values[number(in: 0...values.count - 1)] }

  /// Returns a value, or `nil` with a probability of 1/3.
  public mutating func maybe<Value>(_ make: (inout Sampler) throws -> Value) rethrows -> Value? {
    once(in: 3) ? nil : try make(&self)
  }

  /// Returns up to `countMax` values.
  public mutating func array<Value>(
    upTo countMax: Int = 4, _ make: (inout Sampler) throws -> Value
  ) rethrows -> [Value] {
    try (0..<number(in: 0...countMax)).map { _ in try make(&self) }
  }

  /// Returns a string of up to 24 scalars from several scripts, without NUL.
  public mutating func text() -> String {
    let scalars: [Unicode.Scalar] = ["a", "Z", "7", " ", ".", "é", "\u{301}", "ß", "東", "🎭", "\n", "\u{202E}"]
    var text = ""
    for _ in 0..<number(in: 0...24) { text.unicodeScalars.append(one(of: scalars)) }
    return text
  }

  /// Returns a valid identifier.
  public mutating func identifier<ID: Identifier>(_ type: ID.Type = ID.self) throws -> ID {
    let words = ["alpha", "beta-2", "Gamma_3", "d"]
    if type is AppID.Type { return try ID("com.\(one(of: words)).\(one(of: words))\(number(in: 0...99))") }
    // A device's name has no slash.
    let zone = type is DeviceID.Type ? "Europe" : "Europe/Berlin"
    return try ID("\(one(of: words)) \(one(of: ["é", "東京", "🎭", zone])) \(next())")
  }

  /// Returns up to `countMax` random bytes.
  public mutating func bytes(upTo countMax: Int = 64) -> [UInt8] {
    array(upTo: countMax) { UInt8(truncatingIfNeeded: $0.next()) }
  }

  /// Returns an instant; extremes are frequent.
  public mutating func instant() -> Instant {
    switch number(in: 0...9) {
    case 0: .min
    case 1: .max
    default: Instant.min.advanced(by: TimeSpan(milliseconds: Int64(next() >> 17)))
    }
  }

  /// Returns a finite number; extremes are frequent.
  public mutating func double() -> Double {
    let special: [Double] = [
      0, -0.0, 1, -1, .leastNonzeroMagnitude, .leastNormalMagnitude, .greatestFiniteMagnitude, 1e300, 0.1,
    ]
    if once(in: 3) { return one(of: special) }
    let number = Double(bitPattern: next())
    return number.isFinite ? number : 0.5
  }

  /// Returns an integer; extremes are frequent.
  public mutating func integer() -> Int64 {
    once(in: 3) ? one(of: [.min, .max, 0, -1, 1]) : Int64(bitPattern: next()) >> Int64(number(in: 0...63))
  }
}
