internal import CMarqueeProtos
public import MarqueeModel
internal import MarqueeRPC

/// A request to turn developer mode on or off for a device; it lifts dwell, hold and budgets (rule R7).
public struct SetDeveloperModeRequest: Hashable, Sendable {
  /// The device.
  public var device: DeviceID
  /// Whether developer mode is on.
  public var isEnabled: Bool

  /// Creates a request.
  public init(device: DeviceID, isEnabled: Bool) {
    self.device = device
    self.isEnabled = isEnabled
  }
}

/// A confirmation that the change is durable.
public struct SetDeveloperModeResponse: Hashable, Sendable {
  /// Creates a response.
  public init() {}
}

extension SetDeveloperModeRequest: WireValue {
  init(_ message: Marquee__V1__SetDeveloperModeRequest) throws(RequestError) {
    self.init(device: try Field.identifier(message.device, "device"), isEnabled: message.enabled != 0)
  }

  func fill(_ message: inout Marquee__V1__SetDeveloperModeRequest, _ scratch: EncodeScratch) {
    message.device = scratch.text(device)
    message.enabled = isEnabled ? 1 : 0
  }
}

extension SetDeveloperModeResponse: WireValue {
  init(_ message: Marquee__V1__SetDeveloperModeResponse) {}

  func fill(_ message: inout Marquee__V1__SetDeveloperModeResponse, _ scratch: EncodeScratch) {}
}
