import MarqueeModel
import MarqueeScheduler

extension Device {
  /// Returns the device as an earlier release encoded it, without counts.
  public func withoutCounts() -> Device {
    guard hasCounts else { return self }
    let bytes = encoded.dropFirst()
    for count in 1..<bytes.count {
      // Only the encoding without all of the counts, which follow it, is valid.
      if let earlier = try? Device(decoding: Array(bytes.dropLast(count))) { return earlier }
    }
    preconditionFailure("the encoding of a device is valid without its counts")
  }
}
