// Elementary functions built only from operations that IEEE 754 rounds exactly, so that results are bit-identical on
// all machines (rule R8). The functions of system libraries are not.

typealias Lanes = SIMD8<Float>

/// Returns 2 to the power of `exponent`, or 0 if the result would be subnormal.
func powerOfTwo(_ exponent: Double) -> Double {
  guard exponent > -1_000 else { return 0 }
  precondition(exponent < 1_000, "exponent \(exponent) is out of range")
  var whole = Int(exponent)
  if Double(whole) > exponent { whole -= 1 }
  let part = (exponent - Double(whole)) * 0.6931471805599453
  // e^part for part in 0 ..< ln 2, as a Taylor series; the first omitted term is below 1e-13.
  var series = 1 / 6_227_020_800.0
  series = series * part + 1 / 479_001_600
  series = series * part + 1 / 39_916_800
  series = series * part + 1 / 3_628_800
  series = series * part + 1 / 362_880
  series = series * part + 1 / 40_320
  series = series * part + 1 / 5_040
  series = series * part + 1 / 720
  series = series * part + 1 / 120
  series = series * part + 1 / 24
  series = series * part + 1 / 6
  series = series * part + 0.5
  series = series * part + 1
  series = series * part + 1
  return series * Double(bitPattern: UInt64(whole + 1_023) << 52)
}

/// Returns e to the power of `number`, which is clamped to ±690.
func exponential(_ number: Double) -> Double {
  powerOfTwo(min(max(number, -690), 690) * 1.4426950408889634)
}

/// Returns the natural logarithm of a positive, finite number, with a relative error of about 1e-7.
func logarithm(_ number: Double) -> Double {
  Double(logarithm(Lanes(repeating: Float(number)))[0])
}

/// Returns the natural logarithms of positive, normal numbers.
///
/// A number is split into `m · 2^k` with `m` in `√½ ..< √2`, and `ln m = 2 artanh((m − 1) / (m + 1))` is summed as a
/// series; the first omitted term is below the precision of `Float`.
@inline(__always) func logarithm(_ numbers: Lanes) -> Lanes {
  let bits = unsafeBitCast(numbers, to: SIMD8<Int32>.self)
  let exponents = (bits &- 0x3f35_04f3) &>> 23
  let mantissas = unsafeBitCast(bits &- (exponents &<< 23), to: Lanes.self)
  let ratio = (mantissas - 1) / (mantissas + 1)
  let square = ratio * ratio
  var series = square * (1 / 7) + (1 / 5)
  series = series * square + (1 / 3)
  series = series * square + 1
  // Converts small integers to floats through the bits of 1.5 · 2^23.
  let powers = unsafeBitCast(exponents &+ 0x4b40_0000, to: Lanes.self) - 12_582_912
  return powers * 0.693_147_18 + ratio * series * 2
}

/// Returns e to the powers of non-positive numbers, which are clamped to −80.
@inline(__always) func exponential(ofNegatives numbers: Lanes) -> Lanes {
  let limited = numbers.replacing(with: -80, where: numbers .< -80)
  // Adding and subtracting 1.5 · 2^23 rounds to the nearest integer.
  let shifted = limited * 1.442_695 + 12_582_912
  let whole = shifted - 12_582_912
  let part = limited - whole * 0.693_359_375 + whole * 2.121_944_4e-4
  var series = part * (1 / 720) + (1 / 120)
  series = series * part + (1 / 24)
  series = series * part + (1 / 6)
  series = series * part + 0.5
  series = series * part + 1
  series = series * part + 1
  let exponents = unsafeBitCast(shifted, to: SIMD8<Int32>.self) &- 0x4b40_0000
  return unsafeBitCast((exponents &+ 127) &<< 23, to: Lanes.self) * series
}

/// Returns the lane-wise maximum.
///
/// Equivalent to `pointwiseMax`, which the standard library computes one lane at a time.
@inline(__always) func greater(_ left: Lanes, _ right: Lanes) -> Lanes {
  left.replacing(with: right, where: right .>= left)
}

/// Returns the lane-wise minimum.
@inline(__always) func lesser(_ left: Lanes, _ right: Lanes) -> Lanes {
  left.replacing(with: right, where: right .< left)
}

/// Returns the maximum of eight lanes, none of which is NaN.
@inline(__always) func greatest(_ lanes: Lanes) -> Float {
  let four = lanes.lowHalf.replacing(with: lanes.highHalf, where: lanes.highHalf .> lanes.lowHalf)
  let two = four.lowHalf.replacing(with: four.highHalf, where: four.highHalf .> four.lowHalf)
  return max(two[0], two[1])
}

/// Returns the sum of eight lanes, in a fixed order.
@inline(__always) func total(_ lanes: Lanes) -> Float {
  let four = lanes.lowHalf + lanes.highHalf
  let two = four.lowHalf + four.highHalf
  return two[0] + two[1]
}

/// Returns the sums of eight consecutive vectors from `start`, each multiplied by `weights` and summed as by
/// ``total(_:)``.
@inline(__always) func totals(_ lanes: UnsafeBufferPointer<Lanes>, from start: Int, times weights: Lanes) -> Lanes {
  @inline(__always) func pair(_ index: Int) -> SIMD4<Float> {
    let (left, right) = (lanes[start + index] * weights, lanes[start + index + 1] * weights)
    let (first, second) = (left.lowHalf + left.highHalf, right.lowHalf + right.highHalf)
    return SIMD4(lowHalf: first.lowHalf, highHalf: second.lowHalf)
      + SIMD4(lowHalf: first.highHalf, highHalf: second.highHalf)
  }
  let (low, high) = (SIMD8(lowHalf: pair(0), highHalf: pair(2)), SIMD8(lowHalf: pair(4), highHalf: pair(6)))
  return SIMD8(lowHalf: low.evenHalf + low.oddHalf, highHalf: high.evenHalf + high.oddHalf)
}
