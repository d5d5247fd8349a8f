internal import CMarqueeProtos
public import MarqueeModel
internal import MarqueeRPC

/// A request to delete a device's donations, and everything learned from them (rule D5).
public struct ForgetDonationsRequest: Hashable, Sendable {
  /// The device.
  public var device: DeviceID
  /// The app whose donations to delete; `nil` for all apps.
  public var app: AppID?

  /// Creates a request.
  public init(device: DeviceID, app: AppID? = nil) {
    self.device = device
    self.app = app
  }
}

/// A confirmation that the donations have been deleted, including from all files.
public struct ForgetDonationsResponse: Hashable, Sendable {
  /// The number of donations that were deleted.
  public var count: Int

  /// Creates a response.
  public init(count: Int) {
    self.count = count
  }
}

extension ForgetDonationsRequest: WireValue {
  init(_ message: Marquee__V1__ForgetDonationsRequest) throws(RequestError) {
    self.init(
      device: try Field.identifier(message.device, "device"), app: try Field.identifierIfPresent(message.app, "app"))
  }

  func fill(_ message: inout Marquee__V1__ForgetDonationsRequest, _ scratch: EncodeScratch) {
    message.device = scratch.text(device)
    message.app = scratch.text(app)
  }
}

extension ForgetDonationsResponse: WireValue {
  init(_ message: Marquee__V1__ForgetDonationsResponse) throws(RequestError) {
    self.init(count: try Field.count(message.count, "count"))
  }

  func fill(_ message: inout Marquee__V1__ForgetDonationsResponse, _ scratch: EncodeScratch) {
    message.count = UInt64(count)
  }
}
