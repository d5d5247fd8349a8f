import Foundation
import Testing

@testable import MarqueePredictor

@Suite struct LanesTests {
  @Test("Logarithms have a relative error below one part in a million over the whole range")
  func logarithms() {
    for exponent in -120...120 {
      for mantissa in [1, 1.1, 1.41421, 1.41422, 1.7, 1.999] {
        let number = mantissa * pow(2, Double(exponent))
        #expect(abs(logarithm(number) - log(number)) <= 1e-6 * max(1, abs(log(number))), "\(number)")
      }
    }
  }

  @Test("Powers and exponentials are accurate, and 0 for very small exponents")
  func exponentials() {
    for number in stride(from: -60.0, through: 60, by: 0.37) {
      #expect(abs(powerOfTwo(number) / pow(2, number) - 1) < 1e-12)
      #expect(abs(exponential(number) / exp(number) - 1) < 1e-11)
      let lanes = exponential(ofNegatives: Lanes(repeating: Float(-abs(number))))
      #expect(abs(Double(lanes[5]) / exp(-abs(number)) - 1) < 1e-5)
    }
    #expect(powerOfTwo(-5_000) == 0)
    #expect(exponential(ofNegatives: Lanes(repeating: -1e30))[0] < 1e-30)
  }

  @Test("A sum of lanes includes all eight")
  func sum() {
    #expect(total(Lanes(1, 2, 4, 8, 16, 32, 64, 128)) == 255)
  }

  @Test("Eight sums at once are the same as one after the other, to the last bit")
  func sums() {
    // Numbers of all magnitudes, so that another order of summation would be detected.
    let rows = (0..<8).map { row in
      var lanes = Lanes.zero
      for lane in 0..<8 { lanes[lane] = Float((row * 31 + lane * 17) % 23 + 1) / 7 * (lane % 3 == 0 ? 1e6 : 1e-3) }
      return lanes
    }
    let weights = Lanes(1, 0.3, 0.7, 1.1, 0.9, 0.35, 0.2, 3)
    let sums = rows.withUnsafeBufferPointer { totals($0, from: 0, times: weights) }
    for row in 0..<8 { #expect(sums[row] == total(rows[row] * weights)) }
  }
}
