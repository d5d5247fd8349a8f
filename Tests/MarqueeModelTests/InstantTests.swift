import Foundation
import MarqueeModel
import MarqueeTestSupport
import Testing

@Suite struct InstantTests {
  @Test("T7 An instant lies within the years 1970 to 9999")
  func years() {
    #expect(Instant(milliseconds: -1) == nil)
    #expect(Instant(milliseconds: .min) == nil)
    #expect(Instant(milliseconds: 253_402_300_800_000) == nil)
    #expect(Instant(milliseconds: .max) == nil)
    #expect(Instant(milliseconds: 0) == .min)
    #expect(Instant(milliseconds: 253_402_300_799_999) == .max)
  }

  @Test("Arithmetic saturates instead of trapping")
  func saturation() {
    for instant in [Instant.min, .max] {
      #expect(instant.advanced(by: TimeSpan(milliseconds: .max)) == .max)
      #expect(instant.advanced(by: TimeSpan(milliseconds: .min)) == .min)
    }
    #expect(Instant.min.span(to: .max).milliseconds == 253_402_300_799_999)
    #expect(Instant.max.span(to: .min).milliseconds == -253_402_300_799_999)
  }

  @Test("A span of seconds is rounded to milliseconds, and rejected outside the range of instants")
  func spans() {
    #expect(TimeSpan(seconds: 1.2345)?.milliseconds == 1_235)
    #expect(TimeSpan(seconds: -0.5)?.milliseconds == -500)
    for seconds in [Double.nan, .infinity, -.infinity, 1e300, -1e300, 253_402_300_801] {
      #expect(TimeSpan(seconds: seconds) == nil)
    }
    #expect(TimeSpan.days(2).seconds == 172_800)
  }

  @Test("An instant's RFC 3339 description equals Foundation's")
  func words() throws {
    #expect(Instant.min.description == "1970-01-01T00:00:00Z")
    #expect(Instant.max.description == "9999-12-31T23:59:59.999Z")
    #expect(Instant(milliseconds: 951_827_696_007)?.description == "2000-02-29T12:34:56.007Z")
    var chance = Sampler(seed: 7)
    for _ in 0..<5_000 {
      let seconds = Int64.random(in: 0...253_402_300_799, using: &chance)
      let date = Date(timeIntervalSince1970: Double(seconds))
      #expect(try #require(Instant(milliseconds: seconds * 1000)).description == date.formatted(.iso8601))
    }
  }
}
