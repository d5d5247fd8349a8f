internal import CMarqueeProtos
public import MarqueeModel
internal import MarqueeRPC

/// A request to replace an app's upcoming media on a device (rule D7).
public struct SetUpcomingMediaRequest: Hashable, Sendable {
  /// The device.
  public var device: DeviceID
  /// The app.
  public var app: AppID
  /// The complete list.
  public var media: UpcomingMedia

  /// Creates a request.
  public init(device: DeviceID, app: AppID, media: UpcomingMedia) {
    self.device = device
    self.app = app
    self.media = media
  }
}

extension SetUpcomingMediaRequest: WireValue {
  init(_ message: Marquee__V1__SetUpcomingMediaRequest) throws(RequestError) {
    let mode = try UpcomingMedia.Mode(message.mode, "mode")
    self.init(
      device: try Field.identifier(message.device, "device"), app: try Field.identifier(message.app, "app"),
      media: try UpcomingMedia(intents: Field.array(message.n_intents, message.intents, "intents"), mode: mode))
  }

  func fill(_ message: inout Marquee__V1__SetUpcomingMediaRequest, _ scratch: EncodeScratch) {
    message.device = scratch.text(device)
    message.app = scratch.text(app)
    (message.n_intents, message.intents) = scratch.array(media.intents)
    message.mode = Marquee__V1__UpcomingMediaMode(media.mode)
  }
}
