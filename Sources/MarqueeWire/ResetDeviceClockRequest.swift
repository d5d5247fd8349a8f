internal import CMarqueeProtos
public import MarqueeModel
internal import MarqueeRPC

/// A request to reset the time of a device whose clock is ahead of the server's.
public struct ResetDeviceClockRequest: Hashable, Sendable {
  /// The device.
  public var device: DeviceID

  /// Creates a request.
  public init(device: DeviceID) {
    self.device = device
  }
}

/// A confirmation that the change is durable.
public struct ResetDeviceClockResponse: Hashable, Sendable {
  /// The device's time before the reset.
  public var before: Instant
  /// The device's time after the reset.
  public var now: Instant

  /// Creates a response.
  public init(before: Instant, now: Instant) {
    self.before = before
    self.now = now
  }
}

extension ResetDeviceClockRequest: WireValue {
  init(_ message: Marquee__V1__ResetDeviceClockRequest) throws(RequestError) {
    self.init(device: try Field.identifier(message.device, "device"))
  }

  func fill(_ message: inout Marquee__V1__ResetDeviceClockRequest, _ scratch: EncodeScratch) {
    message.device = scratch.text(device)
  }
}

extension ResetDeviceClockResponse: WireValue {
  init(_ message: Marquee__V1__ResetDeviceClockResponse) throws(RequestError) {
    self.init(
      before: try Field.instant(message.before_ms, "before_ms"), now: try Field.instant(message.now_ms, "now_ms"))
  }

  func fill(_ message: inout Marquee__V1__ResetDeviceClockResponse, _ scratch: EncodeScratch) {
    message.before_ms = before.milliseconds
    message.now_ms = now.milliseconds
  }
}
