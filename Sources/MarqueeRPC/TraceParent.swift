/// The trace context of a call, as W3C Trace Context defines it for the `traceparent` header.
public struct TraceParent: Hashable, Sendable {
  /// The metadata key.
  public static let key = "traceparent"

  /// The trace ID, not 0.
  public let trace: UInt128
  /// The span ID of the caller, not 0.
  public let span: UInt64
  /// The trace flags; the lowest bit is `sampled`.
  public let flags: UInt8

  /// Parses a value such as `00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01`, of version 00 or a later one.
  ///
  /// - Returns: `nil` if the text is not a valid `traceparent`.
  public init?(_ text: some StringProtocol) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count >= 4, let version = Self.number(parts[0], 2, UInt8.self), version < 0xFF,
      version > 0 || parts.count == 4, let trace = Self.number(parts[1], 32, UInt128.self), trace > 0,
      let span = Self.number(parts[2], 16, UInt64.self), span > 0, let flags = Self.number(parts[3], 2, UInt8.self)
    else { return nil }
    (self.trace, self.span, self.flags) = (trace, span, flags)
  }

  /// The trace ID in 32 hexadecimal digits.
  public var traceText: String {
    let digits = String(trace, radix: 16)
    return String(repeating: "0", count: 32 - digits.count) + digits
  }

  /// Parses exactly `length` lower-case hexadecimal digits.
  private static func number<Number: FixedWidthInteger>(
    _ text: some StringProtocol, _ length: Int, _: Number.Type
  ) -> Number? {
    let isLower = text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    return isLower && text.utf8.count == length ? Number(text, radix: 16) : nil
  }
}
