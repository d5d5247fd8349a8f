internal import CMarqueeProtos
public import MarqueeModel
internal import MarqueeRPC

/// Donations of a device that are to be as if they had never been (rule D5).
public struct ForgetDonationsRequest: Hashable, Sendable {
  /// The device.
  public var device: DeviceID
  /// Only those of this app; `nil`: all of the device.
  public var app: AppID?

  /// A request.
  public init(device: DeviceID, app: AppID? = nil) {
    self.device = device
    self.app = app
  }
}

/// The donations are gone, from every file too.
public struct ForgetDonationsResponse: Hashable, Sendable {
  /// How many were remembered and are no more.
  public var count: Int

  /// A response.
  public init(count: Int) {
    self.count = count
  }
}

extension ForgetDonationsRequest: WireValue {
  init(_ message: Marquee__V1__ForgetDonationsRequest) throws(Refusal) {
    self.init(
      device: try Field.identifier(message.device, "device"), app: try Field.identifierIfPresent(message.app, "app"))
  }

  func fill(_ message: inout Marquee__V1__ForgetDonationsRequest, _ scratch: EncodeScratch) {
    message.device = scratch.text(device)
    message.app = scratch.text(app)
  }
}

extension ForgetDonationsResponse: WireValue {
  init(_ message: Marquee__V1__ForgetDonationsResponse) throws(Refusal) {
    self.init(count: try Field.count(message.count, "count"))
  }

  func fill(_ message: inout Marquee__V1__ForgetDonationsResponse, _ scratch: EncodeScratch) {
    message.count = UInt64(count)
  }
}
