public import MarqueeRPC

extension RPCStatus {
  /// The URL of the detail `google.rpc.RetryInfo`.
  private static let retryInfoURL = "type.googleapis.com/google.rpc.RetryInfo"
  /// The maximum delay in a status, in seconds.
  private static let retryDelayMax: Int64 = 86_400

  /// The time after which the call may succeed unchanged: the detail `google.rpc.RetryInfo`, in whole seconds; `nil` if
  /// the status has none.
  ///
  /// It distinguishes a condition that passes, such as a full disk or queue, from a limit that the request itself
  /// exceeds; both have the code `RESOURCE_EXHAUSTED`.
  public var retryDelay: Duration? {
    guard let detail = details.first(where: { $0.typeURL == Self.retryInfoURL }) else { return nil }
    return Duration(secondsComponent: Self.secondCount(in: detail.value), attosecondsComponent: 0)
  }

  /// Returns the status with a delay.
  ///
  /// - Parameter delay: The delay, which is rounded up to whole seconds; at least one second and at most a day.
  package func retryable(after delay: Duration = .seconds(1)) -> RPCStatus {
    let (whole, fraction) = delay.components
    var seconds = UInt64(min(max(whole + (fraction > 0 ? 1 : 0), 1), Self.retryDelayMax))
    var number: [UInt8] = []
    while seconds >= 0x80 {
      number.append(UInt8(truncatingIfNeeded: seconds) | 0x80)
      seconds >>= 7
    }
    number.append(UInt8(seconds))
    var status = self
    // `retry_delay`, the field 1 with a `google.protobuf.Duration`, whose field 1 is the number of seconds.
    let value = [0x0A, UInt8(number.count + 1), 0x08] + number
    status.details.append(StatusDetail(typeURL: Self.retryInfoURL, value: value))
    return status
  }

  /// Returns the status with a delay of zero: of a stream that its client can open again at once.
  package func retryableAtOnce() -> RPCStatus {
    var status = self
    status.details.append(StatusDetail(typeURL: Self.retryInfoURL, value: [0x0A, 0]))
    return status
  }

  /// Returns the seconds of an encoded `RetryInfo`, at most a day; 0 for one of another form.
  private static func secondCount(in value: [UInt8]) -> Int64 {
    guard value.count > 3, value[0] == 0x0A, Int(value[1]) >= 2, value.count >= 2 + Int(value[1]), value[2] == 0x08
    else { return 0 }
    var (seconds, shift) = (UInt64(0), UInt64(0))
    for byte in value[3..<2 + Int(value[1])] where shift < 35 {
      seconds |= UInt64(byte & 0x7F) << shift
      shift += 7
      guard byte < 0x80 else { continue }
      return Int64(clamping: min(seconds, UInt64(retryDelayMax)))
    }
    return 0
  }
}
