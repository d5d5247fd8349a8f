internal import CMarqueeProtos
public import MarqueeModel
internal import MarqueeRPC

/// Lifts dwell, hold and budgets on a device, or puts them back (rule R7).
public struct SetDeveloperModeRequest: Hashable, Sendable {
  /// The device.
  public var device: DeviceID
  /// Whether they are lifted.
  public var isEnabled: Bool

  /// A request.
  public init(device: DeviceID, isEnabled: Bool) {
    self.device = device
    self.isEnabled = isEnabled
  }
}

/// The change is durable.
public struct SetDeveloperModeResponse: Hashable, Sendable {
  /// The response.
  public init() {}
}

extension SetDeveloperModeRequest: WireValue {
  init(_ message: Marquee__V1__SetDeveloperModeRequest) throws(Refusal) {
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
