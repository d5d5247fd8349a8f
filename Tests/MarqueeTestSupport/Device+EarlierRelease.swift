import MarqueeModel
import MarqueeScheduler

/// Encodings of devices as earlier releases stored them.
extension Device {
  private static var countsMark: UInt8 { 255 }
  private static var identifiersMark: UInt8 { 250 }
  private static var formerCountsMark: UInt8 { 249 }
  private static var replacedMark: UInt8 { 248 }

  /// Returns the device as an earlier release encoded it, without counts.
  public func withoutCounts() -> Device {
    // Replaced members follow the counts.
    let (rest, replaced) = withoutReplaced()
    let earlier = rest.withoutFormerCounts().withoutPresentCounts()
    guard !replaced.isEmpty else { return earlier }
    do { return try Device(decoding: [Self.replacedMark] + earlier.encoded + replaced) } catch {
      preconditionFailure("the encoding of a device is valid without its counts: \(error)")
    }
  }

  /// Returns the device without replaced members, and their encoding.
  private func withoutReplaced() -> (rest: Device, replaced: [UInt8]) {
    let bytes = encoded
    guard bytes.first == Self.replacedMark else { return (self, []) }
    for count in 1..<bytes.count {
      // Only the encoding without all of them is valid.
      if let rest = try? Device(decoding: Array(bytes.dropFirst().dropLast(count))) {
        return (rest, Array(bytes.suffix(count)))
      }
    }
    preconditionFailure("the encoding of a device is valid without replaced members")
  }

  private func withoutFormerCounts() -> Device {
    let bytes = encoded
    guard bytes.first == Self.formerCountsMark else { return self }
    for count in 1..<bytes.count {
      // Only the encoding without all of the counts is valid.
      if let earlier = try? Device(decoding: Array(bytes.dropFirst().dropLast(count))) { return earlier }
    }
    preconditionFailure("the encoding of a device is valid without the counts of removed instances")
  }

  private func withoutPresentCounts() -> Device {
    guard hasCounts else { return self }
    var bytes = encoded
    guard let mark = bytes.firstIndex(of: Self.countsMark) else { preconditionFailure("the encoding has no mark") }
    bytes.remove(at: mark)
    // Identifiers follow the counts.
    let identifiers = encodedIdentifiers
    bytes.removeLast(identifiers.count)
    for count in 1..<bytes.count {
      // Only the encoding without all of the counts is valid.
      if let earlier = try? Device(decoding: bytes.dropLast(count) + identifiers) { return earlier }
    }
    preconditionFailure("the encoding of a device is valid without its counts")
  }

  /// The encoding of the device without identifiers of donations, none of which may be a UUID.
  public var encodedWithoutIdentifiers: [UInt8] {
    let (bytes, identifiers) = (encoded, encodedIdentifiers)
    precondition(
      identifiers.isEmpty || bytes.first == Self.identifiersMark && bytes.suffix(identifiers.count) == identifiers[...])
    return identifiers.isEmpty ? bytes : Array(bytes.dropFirst().dropLast(identifiers.count))
  }

  /// The end of the encoding, with the identifiers of donations.
  private var encodedIdentifiers: [UInt8] {
    var writer = ByteWriter()
    for donation in donations(count: .max).reversed() {
      guard let id = donation.id else { return [] }
      writer.write(tag: 3)
      writer.write(id)
    }
    return writer.bytes
  }
}
