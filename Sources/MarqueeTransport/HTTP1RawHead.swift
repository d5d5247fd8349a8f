import MarqueeRPC

/// The bytes of the head of a POST request in HTTP/1.1 that announces the size of its body.
struct HTTP1RawHead: Sendable {
  /// The maximum size of a head, in bytes.
  static let sizeMax = 1_024
  /// The maximum number of digits of a body's size: enough for any message.
  private static let digitCountMax = 9

  private let bytes: [UInt8]
  /// The offsets of the digits of the body's size.
  private let digits: Range<Int>
  private let bodySize: Int

  /// A request whose head differs at most in the size of the body.
  struct Match: Equatable {
    /// The sizes of the parts, in bytes.
    let headSize: Int
    let bodySize: Int
    /// The digits of the body's size; `nil` if they are those of the head itself.
    let otherLength: String?
  }

  /// The number of bytes of the request.
  var requestSize: Int { bytes.count + bodySize }

  /// Finds the head at the beginning of the input.
  ///
  /// A decoder that accepts the head finds the same end of the request: there is one size, and no line that decoders
  /// may interpret in several ways.
  ///
  /// - Returns: `nil` if the head is incomplete, too large, or in a form that few clients use.
  init?(_ input: UnsafeRawBufferPointer) {
    guard input.starts(with: "POST /".utf8) else { return nil }
    var (start, lengths): (Int, [Range<Int>]) = (0, [])
    while let end = Self.endOfLine(in: input, from: start), end > start {
      if let digits = Self.length(in: input, start..<end) { lengths.append(digits) }
      start = end + 2
    }
    guard Self.endOfLine(in: input, from: start) == start, lengths.count == 1,
      let (size, end) = Self.number(in: input, from: lengths[0].lowerBound), end == lengths[0].upperBound
    else { return nil }
    (bytes, digits, bodySize) = (Array(input[..<(start + 2)]), lengths[0], size)
  }

  /// Returns the request at the beginning of the input if it is complete, and has this head but for the size of the
  /// body.
  func match(_ input: UnsafeRawBufferPointer) -> Match? {
    bytes.withUnsafeBytes { bytes in
      let (start, rest) = (digits.lowerBound, bytes[digits.upperBound...])
      guard input.count >= start, Self.areEqual(input[..<start], bytes[..<start]),
        let (size, end) = Self.number(in: input, from: start), input.count - end >= rest.count + size,
        Self.areEqual(input[end..<(end + rest.count)], rest)
      else { return nil }
      let isSame = size == bodySize && end == digits.upperBound
      return Match(
        headSize: end + rest.count, bodySize: size,
        otherLength: isSame ? nil : String(decoding: input[start..<end], as: UTF8.self))
    }
  }

  private static func areEqual(_ left: Slice<UnsafeRawBufferPointer>, _ right: Slice<UnsafeRawBufferPointer>) -> Bool {
    UnsafeRawBufferPointer(rebasing: left).equals(UnsafeRawBufferPointer(rebasing: right))
  }

  /// Returns the end of a line of printable ASCII, before the line break.
  private static func endOfLine(in input: UnsafeRawBufferPointer, from start: Int) -> Int? {
    let limit = min(input.count, sizeMax)
    guard start < limit, let end = input[start..<limit].firstIndex(where: { !(0x20...0x7E).contains($0) }),
      end + 1 < limit, input[end] == 0x0D, input[end + 1] == 0x0A
    else { return nil }
    return end
  }

  /// Returns the offsets of the value if a line is the field `content-length`.
  private static func length(in input: UnsafeRawBufferPointer, _ line: Range<Int>) -> Range<Int>? {
    let name = "content-length:"
    guard String(decoding: input[line], as: UTF8.self).lowercased().hasPrefix(name) else { return nil }
    let start = input[line].dropFirst(name.utf8.count).firstIndex { $0 != 0x20 }
    return (start ?? line.upperBound)..<line.upperBound
  }

  /// Returns the decimal number at an offset, and its end.
  private static func number(in input: UnsafeRawBufferPointer, from start: Int) -> (value: Int, end: Int)? {
    var (value, end) = (0, start)
    while end < input.count, case let digit = input[end] &- UInt8(ascii: "0"), digit < 10 {
      guard end - start < digitCountMax else { return nil }
      value = value * 10 + Int(digit)
      end += 1
    }
    return end > start ? (value, end) : nil
  }
}
