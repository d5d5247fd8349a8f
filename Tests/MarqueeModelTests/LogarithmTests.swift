import Foundation
import MarqueeTestSupport
import Testing

@testable import MarqueeModel

@Suite struct LogarithmTests {
  @Test("R8 The logarithm is within 2 units in the last place of the system's, over all magnitudes")
  func magnitudes() {
    var chance = Sampler(seed: 8)
    var worst = 0.0
    for _ in 0..<200_000 {
      let number = Double(bitPattern: chance.next() & 0x7FFF_FFFF_FFFF_FFFF)
      guard number.isFinite, number > 0 else { continue }
      worst = max(worst, Self.error(number))
    }
    for exponent in -1074...1023 {
      worst = max(worst, Self.error(Double(sign: .plus, exponent: exponent, significand: 1)))
    }
    #expect(worst <= 2)
  }

  @Test("R8 The logarithm is within 2 units in the last place near 1 and in evidence's range")
  func nearOne() {
    var chance = Sampler(seed: 9)
    var worst = 0.0
    for _ in 0..<200_000 {
      worst = max(worst, Self.error(Double.random(in: 0.0001...1, using: &chance)))
      let tiny = Double(sign: .plus, exponent: -chance.number(in: 1...52), significand: 1)
      worst = max(worst, Self.error(1 + tiny), Self.error(1 - tiny / 2))
    }
    #expect(Double(1).naturalLogarithm == 0)
    #expect(worst <= 2)
  }

  @Test("The logarithms of extreme numbers are accurate")
  func extremes() {
    for number in [Double.leastNonzeroMagnitude, .leastNormalMagnitude, .greatestFiniteMagnitude] {
      #expect(Self.error(number) <= 2)
    }
  }

  /// The difference from the system's logarithm, in units in its last place.
  private static func error(_ number: Double) -> Double {
    let system = log(number)
    return system == 0 ? number.naturalLogarithm.magnitude : (number.naturalLogarithm - system).magnitude / system.ulp
  }
}
