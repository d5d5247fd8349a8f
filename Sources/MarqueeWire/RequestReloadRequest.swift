internal import CMarqueeProtos
public import MarqueeModel
internal import MarqueeRPC

/// A notification that an app has new data, which requests a reload of its timelines (rule T9).
public struct RequestReloadRequest: Hashable, Sendable {
  /// The device.
  public var device: DeviceID
  /// The app.
  public var app: AppID
  /// The kind; `nil` for all of the app's kinds.
  public var kind: KindName?

  /// Creates a request.
  public init(device: DeviceID, app: AppID, kind: KindName? = nil) {
    self.device = device
    self.app = app
    self.kind = kind
  }
}

/// A confirmation. Reload requests are sent as soon as the budget allows.
public struct RequestReloadResponse: Hashable, Sendable {
  /// Creates a response.
  public init() {}
}

extension RequestReloadRequest: WireValue {
  init(_ message: Marquee__V1__RequestReloadRequest) throws(RequestError) {
    self.init(
      device: try Field.identifier(message.device, "device"), app: try Field.identifier(message.app, "app"),
      kind: try Field.identifierIfPresent(message.kind, "kind"))
  }

  func fill(_ message: inout Marquee__V1__RequestReloadRequest, _ scratch: EncodeScratch) {
    message.device = scratch.text(device)
    message.app = scratch.text(app)
    message.kind = scratch.text(kind)
  }
}

extension RequestReloadResponse: WireValue {
  init(_ message: Marquee__V1__RequestReloadResponse) {}

  func fill(_ message: inout Marquee__V1__RequestReloadResponse, _ scratch: EncodeScratch) {}
}
