import MarqueeModel
import Testing

@Suite("Untrusted numbers and strings")
struct UntrustedValueTests {
  @Test("A floating-point number saturates to the integer type's range")
  func saturating() {
    #expect(Int(saturating: .infinity) == .max && Int(saturating: -.infinity) == .min)
    #expect(Int64(saturating: 1e300) == .max && Int32(saturating: -1e300) == .min && UInt8(saturating: -0.5) == 0)
    #expect(Int(saturating: .nan) == 0 && Int(saturating: -2.9) == -2 && UInt16(saturating: 65_535.9) == .max)
    #expect(Int64(saturating: 0x1p63) == .max && Int64(saturating: -0x1p63) == .min)
  }

  @Test("Spans saturate to the type's range")
  func spans() {
    #expect(TimeSpan.days(.max).milliseconds == .max && TimeSpan.seconds(.min).milliseconds == -.max)
    #expect(TimeSpan.hours(25).milliseconds == 90_000_000 && TimeSpan.days(-1).milliseconds == -86_400_000)
    #expect(TimeSpan(seconds: .infinity) == nil && TimeSpan(seconds: .nan) == nil && TimeSpan(seconds: 1e300) == nil)
  }

  @Test("Scalars that affect a terminal, a log or the writing direction are escaped; others are kept")
  func visible() {
    #expect("a\u{1B}[2Jb\u{0}\u{7F}\u{9B}".visible() == "a\\u{1B}[2Jb\\u{0}\\u{7F}\\u{9B}")
    for scalar in ["\u{61C}", "\u{200B}", "\u{200E}", "\u{202A}", "\u{202E}", "\u{2028}", "\u{2029}", "\u{2066}"] {
      #expect(scalar.visible().hasPrefix("\\u{"))
    }
    #expect("a\nb\r\n".visible() == "a\\u{A}b\\u{D}\\u{A}")
    #expect("a\nb\r\n".visible(keepsLines: true) == "a\nb\\u{D}\n")
    let plain = "Grüße, 世界 👩‍👩‍👧 {}\\"
    #expect(plain.visible() == plain)
    // An escape that a combining mark follows is one character, and no less an escape.
    #expect("\u{1B}\u{301}[2J".visible() == "\\u{1B}\u{301}[2J")
  }

  @Test("A string is truncated at its maximum size, without splitting escapes or scalars")
  func cut() {
    #expect("abcdef".visible(sizeMax: 6) == "abcdef" && "abcdef".visible(sizeMax: 5) == "abcde…")
    #expect("éé".visible(sizeMax: 3) == "é…" && "a\u{1B}".visible(sizeMax: 5) == "a…")
    #expect(String(repeating: "\u{1B}", count: 1_000_000).visible(sizeMax: 256).utf8.count <= 259)
  }

  @Test("Text with more than 30 consecutive combining marks is not stream-safe")
  func streamSafe() throws {
    let marks = { (count: Int) in "a" + String(repeating: "\u{301}\u{316}", count: count / 2) + "\u{323}" }
    #expect("".isStreamSafe && "plain".isStreamSafe && marks(28).isStreamSafe && !marks(30).isStreamSafe)
    #expect(!(String(repeating: "\u{F73}", count: 31)).isStreamSafe)
    let error = #expect(throws: RequestError.self) { _ = try StackID(marks(30)) }
    #expect(error?.description.contains("combining marks") == true)
    // U+0323 precedes U+0301 in canonical order; "x" composes with neither.
    _ = try StackID("x\u{323}" + String(repeating: "\u{301}", count: 29))
  }
}
