/// Which trace a call belongs to, as the W3C recommendation Trace Context has it in the metadata `traceparent`.
public struct TraceParent: Hashable, Sendable {
  /// The metadata's key.
  public static let key = "traceparent"

  /// The trace, not 0.
  public let trace: UInt128
  /// The span that the call was made in, not 0.
  public let span: UInt64
  /// Whether the caller may have recorded it, in the lowest bit.
  public let flags: UInt8

  /// What `text` says, such as `00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01`, of this version or a later
  /// one; `nil` when it says nothing.
  public init?(_ text: some StringProtocol) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count >= 4, let version = Self.number(parts[0], 2, UInt8.self), version < 0xFF,
      version > 0 || parts.count == 4, let trace = Self.number(parts[1], 32, UInt128.self), trace > 0,
      let span = Self.number(parts[2], 16, UInt64.self), span > 0, let flags = Self.number(parts[3], 2, UInt8.self)
    else { return nil }
    (self.trace, self.span, self.flags) = (trace, span, flags)
  }

  /// The trace in 32 hexadecimal digits, as tools show it.
  public var traceText: String {
    let digits = String(trace, radix: 16)
    return String(repeating: "0", count: 32 - digits.count) + digits
  }

  /// A number of so many digits, all of them lower-case.
  private static func number<Number: FixedWidthInteger>(
    _ text: some StringProtocol, _ length: Int, _: Number.Type
  ) -> Number? {
    let isLower = text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    return isLower && text.utf8.count == length ? Number(text, radix: 16) : nil
  }
}
