import MarqueeModel
import Testing

@Suite struct InstantTests {
  @Test("T7 An instant lies within the years 1970 to 9999")
  func years() {
    #expect(Instant(milliseconds: -1) == nil)
    #expect(Instant(milliseconds: 253_402_300_800_000) == nil)
    #expect(Instant(milliseconds: 253_402_300_799_999) == .max)
  }

  @Test("Arithmetic saturates instead of trapping")
  func saturation() {
    #expect(Instant.max.advanced(byMilliseconds: .max) == .max)
    #expect(Instant.min.advanced(byMilliseconds: .min) == .min)
    #expect(Instant.min.milliseconds(to: .max) == 253_402_300_799_999)
  }
}
